import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseDocument } from "yaml";
import { loadConfig } from "../../src/config/index.ts";
import { serverBinary } from "./support/envoy-binary.ts";
import {
  type ConfigPatch,
  clusterPath,
  connectionManagerPath,
  envoyConfig,
  envoyFile,
  envoyKinds,
  extProcPath,
  kindName,
} from "./support/envoy-config.ts";
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

const commonHttpOptions = [
  "typed_extension_protocol_options",
  "envoy.extensions.upstreams.http.v3.HttpProtocolOptions",
  "common_http_protocol_options",
] as const;

/** What Envoy says of a file: its complaint is the error of the rejected promise. */
async function validate(file: string): Promise<string> {
  const args = ["--mode", "validate", "--use-dynamic-base-id", "--log-level", "error", "-c", file];
  const { stdout, stderr } = await run(serverBinary("envoy"), args);
  return stdout + stderr;
}

/** A duration as Envoy's files have it, `90s`, in ms. */
function msOf(duration: unknown): number {
  return 1_000 * Number(/^(\d+(?:\.\d+)?)s$/.exec(String(duration))?.[1]);
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

  it("that of k8s/ passes it, too", async () => {
    const file = new URL("../../k8s/components/envoy/envoy.yaml", import.meta.url);
    expect(await validate(fileURLToPath(file))).toContain("OK");
  });

  it.each(envoyKinds.map((kind) => ({ name: kindName(kind), kind })))(
    "$name has what it cannot do without",
    ({ kind }) => {
      const config = parseDocument(readFileSync(envoyFile(kind), "utf8"));
      const [picker, filter] = [clusterPath(config, "picker"), extProcPath(config)];
      const read = (path: readonly (string | number)[]): unknown => config.getIn(path);
      expect(String(read([...filter, "metadata_options", "receiving_namespaces", "untyped"]))).toContain("envoy.lb");
      expect(read([...filter, "failure_mode_allow"])).toBe(kind.hosts === "override-host");
      expect(read([...picker, "common_lb_config", "healthy_panic_threshold", "value"])).toBe(0);
      expect(read([...picker, "common_lb_config", "update_merge_window"])).toBe("0s");
      expect(read([...picker, "circuit_breakers", "thresholds", 0, "max_requests"])).toBe(40_000);
      expect(read([...picker, ...commonHttpOptions, "max_requests_per_connection"])).toBe(900);
      expect(read([...picker, "health_checks", 0, "no_traffic_interval"])).toBe("0.5s");
      // A picker that refuses connections is known to be dead within a second, and one late answer is none.
      const check = (name: string): unknown => read([...picker, "health_checks", 0, name]);
      expect(check("unhealthy_threshold")).toBe(2);
      expect(msOf(check("interval")) * Number(check("unhealthy_threshold"))).toBeLessThanOrEqual(1_000);
      // The picker's own limits come first, since its answers say what was wrong.
      const { bodyDeadlineMs, pickDeadlineMs } = loadConfig({ text: "", env: {} }).extProc;
      expect(msOf(read([...connectionManagerPath, "request_timeout"]))).toBeGreaterThan(
        bodyDeadlineMs + pickDeadlineMs,
      );
      const messageTimeout = read([...filter, "message_timeout"]);
      if (kind.bodies === "buffered") expect(msOf(messageTimeout)).toBeGreaterThan(pickDeadlineMs);
      else expect(messageTimeout).toBeUndefined();
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
