import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { envoyBinary } from "../support/envoy-binary.ts";
import { type EnvoyKind, kindName } from "../support/envoy-config.ts";
import { failingOpen } from "../support/envoy-patches.ts";
import { Gateway } from "../support/gateway.ts";
import type { EchoPod } from "./echo-pod.ts";
import { allPorts, conformancePicker, reached, send, sendMany, startPool } from "./echo-pool.ts";

// What these scenarios ask is described in the conformance tests of sigs.k8s.io/gateway-api-inference-extension.
const kinds: readonly EnvoyKind[] = [
  { bodies: "full-duplex", hosts: "override-host" },
  { bodies: "buffered", hosts: "override-host" },
];

describe.each(kinds)("conformance on %o", (kind) => {
  let pods: readonly EchoPod[] = [];
  let gateway: Gateway;

  beforeAll(async () => {
    pods = await startPool({ name: `pod-${kindName(kind).replaceAll(".", "-")}`, subnet: 7, portsPerPod: 3 });
    gateway = await Gateway.start({
      kind,
      launcher: envoyBinary,
      workers: 0,
      otherWorkers: pods.flatMap(({ workers }) => workers),
      patches: [failingOpen(true)],
      picker: conformancePicker,
    });
  });

  afterAll(async () => {
    expect(await gateway.stop()).toBe(envoyBinary.cleanEnding);
    await Promise.all(pods.map((pod) => pod.close()));
  });

  function pod(index: number): EchoPod {
    const found = pods[index];
    if (found === undefined) throw new Error(`there is no pod ${index}`);
    return found;
  }

  it.each([[[2]], [[0, 1]], [[0, 1, 2]]])("GatewayFollowingEPPRouting: pods %o only", async (indexes) => {
    const chosen = indexes.map(pod);
    const selection = chosen.map(({ ip, ports }) => `${ip}:${ports[0]}`);
    const expected = chosen.map(({ name, ports }) => `${name}:${ports[0]}`).sort();
    expect(reached(await sendMany(gateway, selection))).toEqual(expected);
  });

  it("GatewayFollowingEPPRoutingWithDataParallelism: one pod by its address, on any of its ports", async () => {
    expect(reached(await sendMany(gateway, [pod(1).ip]))).toEqual(allPorts([pod(1)]));
  });

  it("GatewayFollowingEPPRoutingWithDataParallelism: two pods, one on a given port", async () => {
    const { name, ip, ports } = pod(2);
    const expected = [...allPorts([pod(0)]), `${name}:${ports[1]}`].sort();
    expect(reached(await sendMany(gateway, [pod(0).ip, `${ip}:${ports[1]}`]))).toEqual(expected);
  });

  it("GatewayFollowingEPPRoutingWithDataParallelism: all pods, one on two of its ports", async () => {
    const { name, ip, ports } = pod(1);
    const selection = [pod(0).ip, `${ip}:${ports[0]}`, `${ip}:${ports[2]}`, pod(2).ip];
    const expected = [...allPorts([pod(0), pod(2)]), `${name}:${ports[0]}`, `${name}:${ports[2]}`].sort();
    expect(reached(await sendMany(gateway, selection))).toEqual(expected);
  });

  it("GatewayDestinationEndpointServed: the response tells the endpoint that served", async () => {
    for (const { name, ip, ports } of pods) {
      for (const port of ports) {
        const endpoint = `${ip}:${port}`;
        const { echo, servedEndpoint } = await send(gateway, [endpoint]);
        expect([echo.pod, echo.httpPort, servedEndpoint]).toEqual([name, port, endpoint]);
      }
    }
  });

  it("answers 503 where none of the chosen endpoints is in the pool", async () => {
    await expect(send(gateway, ["127.0.7.99"])).rejects.toThrow("status 503");
  });

  it("EppUnAvailableFailOpen: requests reach the pool without the picker, and the chosen pod again with it", async () => {
    await gateway.stopPicker("SIGKILL");
    const without = await sendMany(gateway, [pod(0).ip], 30);
    expect(reached(without)).toEqual(allPorts(pods));
    await gateway.startPicker();
    expect(reached(await sendMany(gateway, [pod(0).ip], 30))).toEqual(allPorts([pod(0)]));
  });
});

describe("a picker that has not been told to honour the tests' header", () => {
  let pods: readonly EchoPod[] = [];
  let gateway: Gateway;

  beforeAll(async () => {
    pods = await startPool({ name: "plain", subnet: 8 });
    const { models } = conformancePicker;
    gateway = await Gateway.start({
      kind: { bodies: "full-duplex", hosts: "override-host" },
      launcher: envoyBinary,
      workers: 0,
      otherWorkers: pods.flatMap(({ workers }) => workers),
      picker: { models },
    });
  });

  afterAll(async () => {
    await gateway.stop();
    await Promise.all(pods.map((pod) => pod.close()));
  });

  it("spreads the requests over the pool, and names no endpoint", async () => {
    const outcomes = await sendMany(
      gateway,
      pods.slice(0, 1).map(({ ip }) => ip),
      50,
    );
    expect(reached(outcomes)).toEqual(allPorts(pods));
    expect(new Set(outcomes.map(({ servedEndpoint }) => servedEndpoint))).toEqual(new Set([undefined]));
  });
});
