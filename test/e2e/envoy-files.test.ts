import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serverBinary } from "./support/envoy-binary.ts";
import { type ConfigPatch, envoyConfig, envoyFile, envoyKinds, kindName } from "./support/envoy-config.ts";
import {
  asManagedGateway,
  failingOpen,
  fastHealthChecks,
  onPorts,
  withGracefulClose,
  withoutRetries,
  withPlaintextPicker,
  withSubsetHeader,
  withTrailers,
  withWorkers,
} from "./support/envoy-patches.ts";

const run = promisify(execFile);

/** What Envoy says of a file: its complaint is the error of the rejected promise. */
async function validate(file: string): Promise<string> {
  const args = ["--mode", "validate", "--use-dynamic-base-id", "--log-level", "error", "-c", file];
  const { stdout, stderr } = await run(serverBinary("envoy"), args);
  return stdout + stderr;
}

describe("the shipped Envoy files", () => {
  it("are exactly one per kind", () => {
    const shipped = readdirSync(new URL("../../envoy/", import.meta.url)).filter((name) => name.endsWith(".yaml"));
    expect(shipped.sort()).toEqual(envoyKinds.map((kind) => `${kindName(kind)}.yaml`).sort());
  });

  it.each(envoyKinds.map((kind) => ({ name: kindName(kind), kind })))(
    "$name passes Envoy's validation",
    async ({ kind }) => {
      expect(await validate(fileURLToPath(envoyFile(kind)))).toContain("OK");
    },
  );
});

describe("the variants that tests run", () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "pointsman-envoy-files-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const ports = { gateway: 20_000, admin: 20_001, picker: 20_002, pickerHealth: 20_003 };
  const variants: readonly { name: string; patches: readonly ConfigPatch[] }[] = [
    { name: "on other ports", patches: [onPorts(ports), withWorkers(["127.0.0.1:1", "[::1]:2"]), fastHealthChecks] },
    { name: "as a managed gateway", patches: [asManagedGateway] },
    { name: "with graceful close", patches: [withGracefulClose] },
    { name: "without TLS to the picker", patches: [withPlaintextPicker] },
    { name: "without retries", patches: [withoutRetries] },
    { name: "failing open, with trailers and a subset", patches: [failingOpen(true), withTrailers, withSubsetHeader] },
  ];
  const cases = envoyKinds.flatMap((kind) =>
    variants.map((variant) => ({ kind: kindName(kind), of: kind, ...variant })),
  );

  it.each(cases)("$kind $name passes Envoy's validation", async ({ of, kind, name, patches }) => {
    const file = join(folder, `${kind} ${name}.yaml`);
    writeFileSync(file, envoyConfig(of, patches));
    expect(await validate(file)).toContain("OK");
  });
});
