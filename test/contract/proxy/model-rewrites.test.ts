import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { FakeWorker, json, sse } from "../../support/proxy/fake-worker.ts";
import { call } from "../../support/proxy/raw-client.ts";
import { RunningProxy } from "../../support/proxy/running-proxy.ts";

let worker: FakeWorker;
let proxy: RunningProxy;

const settings = `
modelRewrites:
  - { models: [alias-a], targets: [{ model: m }] }
  - { models: [to-nobody], targets: [{ model: nobody }] }
`;

beforeAll(async () => {
  worker = await FakeWorker.start();
  proxy = await RunningProxy.start({ workers: [worker], settings });
});
afterAll(async () => {
  await proxy?.close();
  await worker?.close();
});
beforeEach(() => {
  worker.seen.length = 0;
  worker.behave = (response) => json(response, 200, { id: "1", model: "m", text: 'the "model":"m"' });
});

const path = "/v1/chat/completions";
const messages = [{ role: "user", content: "Hi" }];

describe("a proxy with rules for models", () => {
  it("sends a request on under the other name, no other byte changed, and answers with the client's", async () => {
    const text = '{"model": "alias-a" , "messages":[{"role":"user","content":"H\\u0069"}],"x":1e2}';
    const answer = await call(proxy.url, { path, body: Buffer.from(text) });
    expect(worker.seen.map(({ body }) => body.toString())).toEqual([text.replace("alias-a", "m")]);
    expect(JSON.parse(answer.body.toString())).toEqual({ id: "1", model: "alias-a", text: 'the "model":"m"' });
  });

  it("gives every event of a stream the client's name", async () => {
    worker.behave = (response) => {
      sse(response);
      response.write('data: {"model":"m","choices":[]}\n\ndata: {"mod');
      response.end('el":"m"}\n\ndata: [DONE]\n\n');
    };
    const answer = await call(proxy.url, { path, body: { model: "alias-a", messages, stream: true } });
    expect(answer.body.toString()).toBe(
      'data: {"model":"alias-a","choices":[]}\n\ndata: {"model":"alias-a"}\n\ndata: [DONE]\n\n',
    );
  });

  it("announces the length that the answer has", async () => {
    const answer = await call(proxy.url, { path, body: { model: "alias-a", messages } });
    const length = answer.headers["content-length"];
    expect(length === undefined || Number(length) === answer.body.length).toBe(true);
  });

  it("leaves requests for other models, and their answers, alone", async () => {
    const answer = await call(proxy.url, { path, body: { model: "m", messages } });
    expect(JSON.parse(answer.body.toString()).model).toBe("m");
  });

  it("refuses a request whose other name is not served, too", async () => {
    expect((await call(proxy.url, { path, body: { model: "to-nobody", messages } })).status).toBe(404);
  });

  it("takes rules that are discovered later", async () => {
    proxy.core.rewrites.discovered([{ models: ["late"], targets: [{ model: "m", weight: undefined }] }]);
    const answer = await call(proxy.url, { path, body: { model: "late", messages } });
    expect([answer.status, JSON.parse(answer.body.toString()).model]).toEqual([200, "late"]);
  });

  it("looks through a large body as well", async () => {
    const body = { pad: "x".repeat(400_000), model: "alias-a", messages };
    const answer = await call(proxy.url, { path, body });
    expect(answer.status).toBe(200);
    expect(JSON.parse(worker.seen[0]?.body.toString() ?? "{}").model).toBe("m");
    expect(JSON.parse(answer.body.toString()).model).toBe("alias-a");
    await expect.poll(() => proxy.metric("pointsman_proxy_held_body_bytes")).toBe(0);
  });
});
