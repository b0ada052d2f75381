import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { generateJsonScan } from "../../../scripts/generate-json-scan.ts";

it("the committed WebAssembly is what its source compiles to", async () => {
  const committed = readFileSync(new URL("../../../src/json/scan-wasm.generated.ts", import.meta.url), "utf8");
  expect(await generateJsonScan()).toBe(committed);
});
