import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ensureModelFolder, testModels } from "../../scripts/models.ts";
import { envoyKinds, kindName } from "../e2e/support/envoy-config.ts";
import { prose, seededRandom } from "../support/load/index.ts";
import { clientRequests, refusedRequests } from "./support/client-requests.ts";
import { DynamoGateway } from "./support/dynamo-gateway.ts";
import { DynamoWorkers } from "./support/dynamo-workers.ts";
import { type LiveRequest, liveRequests } from "./support/live-requests.ts";
import type { Passed } from "./support/recording-proxy.ts";

const models = testModels.map((name) => ({ name, folder: ensureModelFolder(name) }));
let dynamo: DynamoWorkers;

beforeAll(async () => {
  dynamo = await DynamoWorkers.start(2, models);
});

afterAll(async () => {
  await dynamo?.stop();
});

/** What arrived at the frontends since the last call, and what the workers were given. */
function taken() {
  return { passed: dynamo.workers.flatMap(({ proxy }) => proxy.take()), records: dynamo.takeRecords() };
}

function injectedIds({ body }: Passed): readonly number[] | undefined {
  return (JSON.parse(body.toString("utf8")) as { nvext?: { token_data?: readonly number[] } }).nvext?.token_data;
}

function withoutTokens({ body }: Pick<Passed, "body">): unknown {
  const { nvext: _nvext, ...rest } = JSON.parse(body.toString("utf8")) as Record<string, unknown>;
  return rest;
}

/** What the frontend makes of a request that no picker has touched. */
async function frontendsOwnAnswer({ path }: Pick<LiveRequest, "path">, body: string) {
  const [worker] = dynamo.workers;
  if (worker === undefined) throw new Error("no worker");
  const headers = { "x-dynamo-worker-instance-id": worker.id, "x-dynamo-routing-mode": "aggregated" };
  const { status } = await worker.frontend.post(path, Buffer.from(body), headers);
  return { status, ids: dynamo.takeRecords().map((record) => record.token_ids) };
}

async function frontendsOwnIds(live: LiveRequest, body: string): Promise<readonly (readonly number[])[]> {
  const { status, ids } = await frontendsOwnAnswer(live, body);
  expect(status).toBe(200);
  return ids;
}

describe.each(envoyKinds.map((kind) => ({ kind, name: kindName(kind) })))(
  "client, Envoy, picker, Dynamo: $name",
  ({ kind }) => {
    let gateway: DynamoGateway;

    beforeAll(async () => {
      gateway = await DynamoGateway.start(kind, dynamo.workers, models);
    });

    afterAll(async () => {
      await gateway?.stop();
    });

    describe.each(testModels)("%s", (model) => {
      it.each(liveRequests(model))(
        "$name: the worker that was picked gets the tokens that the picker counted",
        async (live) => {
          const body = JSON.stringify({ model, ...live.body });
          const expected = await frontendsOwnIds(live, body);

          const answer = await gateway.post(live.path, body);

          expect(answer, gateway.report()).toMatchObject({ status: 200 });
          expect(answer.contentType).toContain(live.isStream ? "text/event-stream" : "application/json");
          expect(answer.body).toContain(live.ending);
          const { passed, records } = taken();
          expect(passed).toHaveLength(1);
          const [arrived] = passed as [Passed];
          expect(records.map((record) => record.token_ids)).toEqual(expected);
          expect(injectedIds(arrived)).toEqual(expected[0]);
          expect(withoutTokens(arrived)).toEqual(JSON.parse(body));
          expect(arrived.headers["x-dynamo-worker-instance-id"]).toBe(records[0]?.instance_id);
          expect(records[0]?.model).toBe(model);
        },
      );
    });

    it("keeps requests and workers together when many come at once, and uses all workers", async () => {
      const bodies = Array.from({ length: 40 }, (_, index) =>
        JSON.stringify({
          model: "qwen3",
          messages: [{ role: "user", content: `question ${index}` }],
          stream: index % 2 === 0,
        }),
      );

      const answers = await Promise.all(bodies.map((body) => gateway.post("/v1/chat/completions", body)));

      expect(answers.map((answer) => answer.status)).toEqual(bodies.map(() => 200));
      const { passed, records } = taken();
      const sent = passed.map((one) => `${one.headers["x-dynamo-worker-instance-id"]}: ${injectedIds(one)}`);
      const given = records.map((record) => `${record.instance_id}: ${record.token_ids}`);
      expect(given.toSorted()).toEqual(sent.toSorted());
      expect(new Set(given)).toHaveLength(40);
      const used = new Set(records.map((record) => record.instance_id));
      expect([...used].toSorted()).toEqual(dynamo.workers.map((worker) => worker.id).toSorted());
    });

    it("passes a batch of prompts to one worker, which the frontend tokenizes itself", async () => {
      const answer = await gateway.post(
        "/v1/completions",
        JSON.stringify({ model: "qwen3", prompt: ["one two", "three"] }),
      );

      expect(answer, gateway.report()).toMatchObject({ status: 200 });
      const { passed, records } = taken();
      expect(passed.map(injectedIds)).toEqual([undefined]);
      expect(records).toHaveLength(2);
      const named = passed[0]?.headers["x-dynamo-worker-instance-id"];
      expect(records.map((record) => record.instance_id)).toEqual([named, named]);
    });

    it.each(clientRequests)("$name: what the worker gets is what the frontend makes of it", async ({ path, body }) => {
      const text = JSON.stringify({ model: "qwen3", ...body });
      const expected = await frontendsOwnAnswer({ path }, text);

      const answer = await gateway.post(path, text);

      expect(answer.status, `${answer.body} ${gateway.report()}`).toBe(expected.status);
      const { passed, records } = taken();
      expect(records.map((record) => record.token_ids)).toEqual(expected.ids);
      if (expected.status === 200)
        expect(passed.map(withoutTokens)).toEqual([withoutTokens({ body: Buffer.from(text) })]);
    });

    it.each(refusedRequests)(
      "$name: is refused as the frontend refuses it, without troubling a worker",
      async (live) => {
        const text = "text" in live ? live.text : JSON.stringify({ model: "qwen3", ...live.body });
        const expected = await frontendsOwnAnswer(live, text);
        expect(expected).toEqual({ status: live.status, ids: [] });

        const answer = await gateway.post(live.path, text);

        expect(answer.status, `${answer.body} ${gateway.report()}`).toBe(live.status);
        expect(answer.contentType).toContain("application/json");
        expect(taken()).toEqual({ passed: [], records: [] });
      },
    );

    it("injects the tokens of long conversations, of each turn anew", async () => {
      const random = seededRandom(envoyKinds.indexOf(kind) + 7);
      const messages = [{ role: "user", content: prose(400_000, random) }];
      for (const answer of ["ja", prose(150_000, random), "nein"]) {
        const body = JSON.stringify({ model: "qwen3", messages, max_tokens: 3 });
        const { status, ids } = await frontendsOwnAnswer({ path: "/v1/chat/completions" }, body);

        expect(await gateway.post("/v1/chat/completions", body), gateway.report()).toMatchObject({ status });

        const { passed, records } = taken();
        expect(records.map((record) => record.token_ids)).toEqual(ids);
        expect(passed.map(injectedIds)).toEqual(ids);
        messages.push({ role: "assistant", content: answer }, { role: "user", content: prose(2_000, random) });
      }
    });

    it("does not let a client choose the worker", async () => {
      const body = JSON.stringify({ model: "qwen3", messages: [{ role: "user", content: "hi" }] });
      const answer = await gateway.post("/v1/chat/completions", body, { "x-dynamo-worker-instance-id": "12345" });

      expect(answer, gateway.report()).toMatchObject({ status: 200 });
      const { passed, records } = taken();
      expect(passed.map((one) => one.headers["x-dynamo-worker-instance-id"])).toEqual([records[0]?.instance_id]);
    });
  },
);
