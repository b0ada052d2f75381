import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { generateXxh3 } from "../../../scripts/generate-xxh3.ts";

it("the committed WebAssembly is what its source compiles to", async () => {
  const committed = readFileSync(new URL("../../../src/kv/xxh3-wasm.generated.ts", import.meta.url), "utf8");
  expect(await generateXxh3()).toBe(committed);
});
