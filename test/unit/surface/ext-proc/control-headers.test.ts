import { describe, expect, it } from "vitest";
import { HeaderRemovals } from "../../../../src/surface/ext-proc/control-headers.ts";
import { HeaderList } from "../../../../src/surface/ext-proc/header-list.ts";

const removals = new HeaderRemovals();
const removed = (present: readonly string[], set: readonly string[] = []) =>
  removals.namesFor(HeaderList.of({ headers: present.map((key) => ({ key })) }), set);

describe("HeaderRemovals", () => {
  it.each([
    "x-gateway-inference-objective",
    "x-llm-d-inference-objective",
    "x-gateway-inference-fairness-id",
    "x-llm-d-inference-fairness-id",
    "x-gateway-model-name-rewrite",
    "x-llm-d-model-name-rewrite",
    "x-llm-d-slo-ttft-ms",
    "x-llm-d-slo-tpot-ms",
    "x-slo-ttft-ms",
    "x-slo-tpot-ms",
    "x-gateway-destination-endpoint-subset",
    "x-gateway-destination-endpoint-served",
    "x-dynamo-worker-instance-id",
    "x-worker-instance-id",
    "x-prefill-instance-id",
    "x-dynamo-prefill-instance-id",
    "x-dp-rank",
    "x-dynamo-dp-rank",
    "x-prefill-dp-rank",
    "x-dynamo-prefill-dp-rank",
    "x-data-parallel-rank",
    "x-dynamo-routing-mode",
    "x-prefiller-host-port",
    "x-encoder-hosts-ports",
    "x-data-parallel-host-port",
    "x-kv-cache-source-host-port",
    "x-smg-target-worker",
  ])("always removes %s, seen or not", (name) => {
    expect(removed([])).toContain(name);
    expect(removed([name]).filter((other) => other === name)).toEqual([name]);
  });

  it.each([
    "x-gateway-destination-endpoint",
    "x-gateway-destination-endpoint-scores",
    "x-llm-d-of-tomorrow",
    "x_dynamo_worker_instance_id",
    "x-dynamo-dp_rank",
    "x_gateway_any",
  ])("removes %s when the client sent it", (name) => {
    expect(removed([])).not.toContain(name);
    expect(removed([name, name]).filter((other) => other === name)).toEqual([name]);
  });

  it.each([
    "x-dynamo-session-id",
    "x-dynamo-meta-policy-class",
    "x-dynamo-request-priority",
    "x-dynamo-parent-session-id",
    "x-request-id",
    "x-tenant-id",
    "authorization",
    "x-gatewayed",
    ":path",
  ])("leaves %s", (name) => {
    expect(removed([name])).not.toContain(name);
  });

  it("leaves what the answer itself sets", () => {
    const set = ["x-dynamo-dp-rank", "x-gateway-destination-endpoint"];
    expect(removed(set, set)).not.toEqual(expect.arrayContaining([expect.stringMatching(/^x-dynamo-dp-rank$/)]));
    expect(removed(set, set)).not.toContain("x-gateway-destination-endpoint");
    expect(removed(set, set)).toContain("x-dp-rank");
  });

  it("gives the same list for the same set, so that it is encoded once", () => {
    expect(removed(["accept"], ["x-dp-rank"])).toBe(removed([], ["x-dp-rank"]));
    expect(removed(["X-LLM-D-Later"], ["x-dp-rank"])).toContain("x-llm-d-later");
  });
});
