import { afterEach, describe, expect, it } from "vitest";
import { type FakeWorker, json } from "../../support/proxy/fake-worker.ts";
import { call } from "../../support/proxy/raw-client.ts";
import { ProxyBench } from "../../support/proxy/set-up.ts";

const bench = new ProxyBench();
afterEach(() => bench.close());

const card = (id: string) => ({ id, object: "model", created: 7, owned_by: "vllm", max_model_len: 4096 });

describe("/v1/models", () => {
  it("is the served models, with what workers say of them", async () => {
    const { proxy, workers } = await bench.start(2);
    (workers[0] as FakeWorker).behave = (response) => json(response, 200, { data: [card("m"), card("hidden")] });
    (workers[1] as FakeWorker).behave = (response) => json(response, 500, {});
    const { data } = JSON.parse((await call(proxy.url, { method: "GET", path: "/v1/models" })).body.toString());
    expect(data.map(({ id }: { id: string }) => id)).toEqual(["m", "alias"]);
    expect(data[0]).toEqual(card("m"));
    expect(data[1]).toMatchObject({ id: "alias", root: "m", owned_by: "pointsman" });
  });

  it("is all workers' models, each once, where any model is served", async () => {
    const { proxy, workers } = await bench.start(3, { models: "unknownModel: load" });
    (workers[0] as FakeWorker).behave = (response) => json(response, 200, { data: [card("a"), card("b")] });
    (workers[1] as FakeWorker).behave = (response) => json(response, 200, { data: [card("b"), card("c"), 5, {}] });
    (workers[2] as FakeWorker).behave = (response) => void response.end("no JSON");
    const ids = async (path: string) => JSON.parse((await call(proxy.url, { method: "GET", path })).body.toString());
    expect((await ids("/v1/models")).data.map(({ id }: { id: string }) => id)).toEqual(["a", "b", "c"]);
    expect(await ids("/v1/models/c")).toEqual(card("c"));
    expect(workers[0]?.seen).toHaveLength(1);
  });
});
