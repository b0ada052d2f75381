import { describe, expect, it } from "vitest";
import { answerCase } from "../../../src/commands/case-answer.ts";
import { fixture } from "../router/fixture.ts";

const { router } = fixture({ workers: [] });
const answer = (line: string) => answerCase(line, "m", (request) => router.prepare(request));

describe("answering a case", () => {
  it("gives status, API and token ids, and whether they are injected", async () => {
    const line = '{"name":"x","path":"/v1/completions","body":{"model":"m","prompt":"ab"}}';
    expect(await answer(line)).toEqual({
      name: "x",
      status: 200,
      api: "completions",
      token_ids: [97, 98],
      injected: true,
      error: null,
    });
  });

  it("fills in the model where the body names none", async () => {
    expect(await answer('{"path":"/v1/completions","body":{"prompt":"ab"}}')).toMatchObject({ status: 200 });
    expect(await answer('{"path":"/v1/completions","body":{}}')).toMatchObject({ status: 400 });
  });

  it("takes the exact text of `raw`", async () => {
    const line = JSON.stringify({ name: "x", path: "/v1/completions", raw: '{"model":"m","prompt":"a","prompt":"b"}' });
    expect(await answer(line)).toMatchObject({ status: 400, token_ids: null, error: { field: "prompt" } });
  });

  it("refuses a line that is a bare body", async () => {
    await expect(answer('{"model":"m","prompt":"ab"}')).rejects.toThrow("a case has `path`");
  });

  it("does not know the tokens of a request without a prompt", async () => {
    const line = '{"path":"/v1/embeddings","body":{"model":"m","input":"x"}}';
    expect(await answer(line)).toMatchObject({ status: 200, api: "promptless", token_ids: null, injected: false });
  });

  // As the Dynamo 1.6.1 frontend, which finds no such worker.
  it.each([
    { nvext: { backend_instance_id: 5 }, status: 400 },
    { nvext: { decode_worker_id: 5, dp_rank: 0 }, status: 400 },
    { nvext: { dp_rank: 0 }, status: 400 },
    { nvext: { prefill_worker_id: 5, prefill_dp_rank: 1 }, status: 200 },
    { nvext: { routing_constraints: { required_taints: ["a"] } }, status: 200 },
    { nvext: { backend_instance_id: null, dp_rank: null }, status: 200 },
  ])("answers $status to a body that demands a worker: $nvext", async ({ nvext, status }) => {
    const line = JSON.stringify({ path: "/v1/completions", body: { prompt: "ab", nvext } });
    expect(await answer(line)).toMatchObject({ status });
  });

  it("refuses an unknown model with the field's name", async () => {
    const line = '{"path":"/v1/completions","body":{"model":"other","prompt":"ab"}}';
    expect(await answer(line)).toMatchObject({ status: 404, error: { code: "unknown_model", field: "model" } });
  });
});
