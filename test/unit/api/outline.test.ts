import { describe, expect, it } from "vitest";
import { outlineRequest, type RequestOutline } from "../../../src/api/index.ts";

function outlineOf(path: string | undefined, body: string): RequestOutline {
  const steps = outlineRequest(path, Buffer.from(body));
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

describe("the outline of a request", () => {
  it("has its API and its model, wherever that stands", () => {
    const messages = [{ role: "user", content: '"model":"no"', model: "no" }];
    expect(outlineOf("/v1/chat/completions?x=1", JSON.stringify({ messages, model: "m" }))).toMatchObject({
      api: "chat",
      model: "m",
      clientPins: [],
    });
    expect(outlineOf("/v1/messages", JSON.stringify({ model: 1, messages }))).toMatchObject({ model: undefined });
    expect(outlineOf(undefined, JSON.stringify({ model: "m", messages }))).toMatchObject({ api: "promptless" });
  });

  it.each<[string, object, readonly string[]]>([
    ["at the root", { kv_transfer_params: {}, dp_rank: 1 }, ["kv_transfer_params"]],
    ["in nvext", { nvext: { token_data: [1, 2], decode_worker_id: 7, dp_rank: null } }, ["nvext.decode_worker_id"]],
    ["by place in a list", { nvext: [1] }, ["nvext"]],
    ["in a value too long to be read", { bootstrap_host: "h".repeat(5000) }, ["bootstrap_host"]],
  ])("names the fields that choose a worker: %s", (_, fields, pins) => {
    expect(outlineOf("/v1/chat/completions", JSON.stringify({ model: "m", ...fields })).clientPins).toEqual(pins);
  });

  it("keeps the ids of chosen workers exact", () => {
    const { root } = outlineOf(
      "/v1/completions",
      '{"prompt":[1,2],"nvext":{"backend_instance_id":18446744073709551615}}',
    );
    const nvext = root.get("nvext") as unknown as { get(name: string): { toBigInt(): bigint } };
    expect(nvext.get("backend_instance_id").toBigInt()).toBe(18_446_744_073_709_551_615n);
  });

  it.each(["", "{", "not json", '{"model":"m"', "[]"])("of %j is no error", (body) => {
    expect(outlineOf("/v1/chat/completions", body).api).toBe("chat");
  });
});
