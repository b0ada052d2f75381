import { afterEach, describe, expect, it } from "vitest";
import { envoyBinary } from "../support/envoy-binary.ts";
import type { ConfigPatch } from "../support/envoy-config.ts";
import { freePorts } from "../support/free-ports.ts";
import { Gateway } from "../support/gateway.ts";
import { Picker } from "../support/picker.ts";
import { mergeSettings, pickerSettings } from "../support/picker-settings.ts";
import type { EchoPod } from "./echo-pod.ts";
import { allPorts, conformancePicker, reached, send, sendMany, startPool } from "./echo-pool.ts";
import { withHttp2Workers, withWeightedPools } from "./envoy-pools.ts";

const addressesOf = (pods: readonly EchoPod[]) => pods.map(({ ip }) => ip);

const kind = { bodies: "full-duplex", hosts: "override-host" } as const;

describe("conformance with pools of several kinds", () => {
  const cleanups: (() => Promise<unknown>)[] = [];

  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  });

  async function pool(...options: Parameters<typeof startPool>): Promise<readonly EchoPod[]> {
    const pods = await startPool(...options);
    cleanups.push(() => Promise.all(pods.map((pod) => pod.close())));
    return pods;
  }

  async function gatewayFor(pods: readonly EchoPod[], patches: readonly ConfigPatch[]): Promise<Gateway> {
    const otherWorkers = pods.flatMap(({ workers }) => workers);
    const own = { kind, launcher: envoyBinary, workers: 0, otherWorkers, patches, picker: conformancePicker };
    const gateway = await Gateway.start(own);
    cleanups.push(() => gateway.stop());
    return gateway;
  }

  it("GatewayWeightedAcrossTwoInferencePools: each picker chooses from its own pool only", async () => {
    const first = await pool({ name: "first", subnet: 9 });
    const second = await pool({ name: "second", subnet: 10 });
    const [pickerPort = 0, pickerHealthPort = 0, pickerMetrics = 0] = await freePorts(3);
    const workers = second.flatMap((pod) => pod.workers);
    const place = { picker: pickerPort, pickerHealth: pickerHealthPort, pickerMetrics, modelFolder: "", workers };
    const picker = await Picker.start(mergeSettings(pickerSettings(place), conformancePicker), pickerMetrics);
    cleanups.push(() => picker.stop());
    const endpoints = workers.map(({ endpoint }) => endpoint);
    const gateway = await gatewayFor(first, [
      withWeightedPools({ pickerPort, pickerHealthPort, endpoints, weight: 30 }),
    ]);
    const both = [...first, ...second];
    const requests = 400;
    const outcomes = await sendMany(gateway, addressesOf(both), requests);
    expect(reached(outcomes)).toEqual(allPorts(both));
    const ofFirst = outcomes.filter(({ echo }) => first.some(({ name }) => name === echo.pod)).length;
    // Ten in a hundred, as in the conformance test; the deviation of 400 draws at 70 in 100 is 2.3.
    expect(Math.abs(ofFirst / requests - 0.7)).toBeLessThan(0.1);
    const chosen = [...first.slice(0, 1), ...second.slice(1, 2)];
    expect(reached(await sendMany(gateway, addressesOf(chosen)))).toEqual(allPorts(chosen));
  });

  it.each([
    { protocol: "http", httpVersion: "1.1", patches: [], subnet: 11 },
    { protocol: "kubernetes.io/h2c", httpVersion: "2.0", patches: [withHttp2Workers], subnet: 12 },
  ] as const)("InferencePoolAppProtocol: a pool of $protocol", async ({ protocol, httpVersion, patches, subnet }) => {
    const pods = await pool({ name: "pod", subnet, protocol });
    const gateway = await gatewayFor(pods, patches);
    for (const { name, ip, ports } of pods) {
      const endpoint = `${ip}:${ports[0]}`;
      const { echo, servedEndpoint } = await send(gateway, [endpoint], "/any?x=1");
      expect(echo).toMatchObject({ pod: name, httpVersion, path: "/any?x=1" });
      expect(servedEndpoint).toBe(endpoint);
    }
  });
});
