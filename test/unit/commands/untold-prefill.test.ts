import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { UntoldPrefill } from "../../../src/commands/untold-prefill.ts";
import { loadConfig } from "../../../src/config/index.ts";
import { Catalogue, type WorkerSpec } from "../../../src/fleet/index.ts";
import { createLogger } from "../../../src/telemetry/index.ts";
import { specOf } from "../fleet/worker-specs.ts";

interface Fleet {
  readonly catalogue: Catalogue;
  readonly untold: UntoldPrefill;
  readonly warned: string[];
  /** Names of the workers that have a problem. */
  problems(): string[];
}

function fleetOf(settings: string, specs: readonly WorkerSpec[]): Fleet {
  const warned: string[] = [];
  const write = (line: string) => warned.push(JSON.parse(line).worker);
  const log = createLogger({ level: "warn" }, { write });
  const catalogue = new Catalogue();
  catalogue.replaceAll(specs);
  const untold = new UntoldPrefill(catalogue, loadConfig({ env: {}, text: settings }), log);
  const problems = () => [...catalogue.workers()].filter((w) => untold.problemsOf(w).length > 0).map((w) => w.name);
  return { catalogue, untold, warned, problems };
}

const vllm = "models: [{ name: m, loadOnly: true, profile: vllm }]";
const told = { headers: { sendsDataParallelRank: false, sendsPrefillHost: true } };
const prefill = specOf(1, { role: "prefill" });

describe("workers that are not told who prefilled", () => {
  it.each([
    { name: "a decode worker without the header", specs: [prefill, specOf(2, { role: "decode" })], bad: ["worker-2"] },
    {
      name: "one of two",
      specs: [prefill, specOf(2, { role: "decode", ...told }), specOf(3, { role: "decode" })],
      bad: ["worker-3"],
    },
    { name: "aggregated ones that decode for want of others", specs: [prefill, specOf(2)], bad: ["worker-2"] },
    {
      name: "not aggregated ones beside decode workers",
      specs: [prefill, specOf(2), specOf(3, { role: "decode", ...told })],
      bad: [],
    },
    { name: "nobody where all are told", specs: [prefill, specOf(2, { role: "decode", ...told })], bad: [] },
    { name: "nobody without prefill workers", specs: [specOf(1), specOf(2, { role: "decode" })], bad: [] },
    {
      name: "nobody who serves another model",
      specs: [prefill, specOf(2, { role: "decode", models: ["n"] })],
      bad: [],
    },
  ])("are $name", ({ specs, bad }) => {
    const fleet = fleetOf(vllm, specs);
    expect(fleet.problems()).toEqual(bad);
    expect(fleet.warned).toEqual(bad);
  });

  it.each([
    { name: "Dynamo's frontend, which is always told", settings: "models: [{ name: m, loadOnly: true }]" },
    { name: "callers of the route API", settings: `mode: reserve\n${vllm}` },
  ])("are not those behind $name", ({ settings }) => {
    expect(fleetOf(settings, [prefill, specOf(2, { role: "decode" })]).problems()).toEqual([]);
  });

  it("are warned of once, when they come or when their prefill workers do", async () => {
    const fleet = fleetOf(vllm, [specOf(2, { role: "decode" })]);
    expect(fleet.warned).toEqual([]);
    fleet.catalogue.put(prefill);
    await nextTurn();
    fleet.catalogue.put(specOf(3, { role: "decode" }));
    await nextTurn();
    expect(fleet.warned).toEqual(["worker-2", "worker-3"]);
    fleet.catalogue.put(specOf(3, { role: "decode", ...told }));
    await fleet.untold.close();
    expect(fleet.problems()).toEqual(["worker-2"]);
  });
});
