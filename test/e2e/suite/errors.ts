import { describe, expect, it } from "vitest";
import { type LoadApi, pathByApi } from "../../support/load/index.ts";
import { post } from "../support/client.ts";
import { arrivalsOf } from "../support/worker-records.ts";
import type { GatewayOf } from "./describe-on.ts";

interface BadRequest {
  readonly name: string;
  readonly api?: LoadApi;
  readonly body: string | Buffer;
  readonly status: number;
  /** What the message or `param` must name. */
  readonly names?: string;
}

const user = '"messages":[{"role":"user","content":"Hi"}]';

const badRequests: readonly BadRequest[] = [
  { name: "malformed JSON", body: '{"model":"qwen3",', status: 400 },
  { name: "text behind the JSON", body: `{"model":"qwen3",${user}} x`, status: 400 },
  { name: "an empty body", body: "", status: 400 },
  { name: "a body that is no object", body: "[1]", status: 400 },
  { name: "messages of the wrong type", body: '{"model":"qwen3","messages":5}', status: 400, names: "messages" },
  { name: "no messages", body: '{"model":"qwen3"}', status: 400, names: "messages" },
  {
    name: "a message without a role",
    body: '{"model":"qwen3","messages":[{"content":"x"}]}',
    status: 400,
    names: "role",
  },
  {
    name: "a prompt of the wrong type",
    api: "completions",
    body: '{"model":"qwen3","prompt":{}}',
    status: 400,
    names: "prompt",
  },
  {
    name: "an input of the wrong type",
    api: "responses",
    body: '{"model":"qwen3","input":7}',
    status: 400,
    names: "input",
  },
  {
    name: "invalid UTF-8",
    body: Buffer.from(`{"model":"qwen3","messages":[{"role":"user","content":"\xff\xfe"}]}`, "latin1"),
    status: 400,
    names: "UTF-8",
  },
  { name: "nesting without end", body: `{"model":"qwen3",${user},"x":${"[".repeat(50_000)}`, status: 400 },
  { name: "an unknown model", body: `{"model":"nobody",${user}}`, status: 404, names: "model" },
  {
    name: "a pinned worker",
    body: `{"model":"qwen3",${user},"nvext":{"backend_instance_id":1}}`,
    status: 400,
    names: "backend_instance_id",
  },
  {
    name: "bootstrap fields",
    body: `{"model":"qwen3",${user},"bootstrap_host":"h"}`,
    status: 400,
    names: "bootstrap_host",
  },
  {
    name: "transfer parameters",
    body: `{"model":"qwen3",${user},"kv_transfer_params":{"remote_host":"h"}}`,
    status: 400,
    names: "kv_transfer_params",
  },
  { name: "a pinned rank", body: `{"model":"qwen3",${user},"routed_dp_rank":1}`, status: 400, names: "routed_dp_rank" },
];

/** What a client did wrong is answered to it, in OpenAI's form, and reaches no worker. */
export function testsOfErrors(gateway: GatewayOf): void {
  describe("errors", () => {
    it.each(badRequests)("answers $status to $name", async ({ api = "chat", body, status, names = "" }) => {
      const answer = await post(gateway(), pathByApi[api], body);
      expect(answer.status).toBe(status);
      expect(answer.headers["content-type"]).toMatch(/^application\/json/);
      const { error } = JSON.parse(answer.body) as { error: { message: string; param?: string | null } };
      expect(error.message.length).toBeGreaterThan(0);
      expect(`${error.message} ${error.param ?? ""}`).toContain(names);
      expect(arrivalsOf(gateway(), answer.requestId)).toEqual([]);
    });

    it("keeps serving on the same connection afterwards", async () => {
      for (let count = 0; count < 3; count++) {
        expect((await post(gateway(), pathByApi.chat, "{")).status).toBe(400);
        expect((await post(gateway(), pathByApi.chat, `{"model":"qwen3","max_tokens":1,${user}}`)).status).toBe(200);
      }
    });
  });
}
