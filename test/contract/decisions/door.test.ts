import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { jevBody, openAiBody } from "../../support/decisions/bodies.ts";
import { DecisionBench, parsed } from "../../support/decisions/decision-bench.ts";
import { call } from "../../support/proxy/raw-client.ts";

let bench: DecisionBench;
const lines: string[] = [];
const key = "sk-secret";

beforeAll(async () => {
  const sha256 = createHash("sha256").update(key).digest("hex");
  bench = await DecisionBench.start({
    settings: `proxy: { apiKeys: [{ name: k, sha256: ${sha256} }] }`,
    logLine: (line) => lines.push(line),
  });
}, 60_000);

afterAll(() => bench?.close());

const authorized = ["authorization", `Bearer ${key}`];

describe("typed decisions behind the proxy's door", () => {
  it("need a key where the proxy needs one, and say so in the contract's words", async () => {
    const decisions = await bench.decisions(openAiBody);
    expect([decisions.status, parsed(decisions)]).toMatchObject([
      401,
      { error: { code: "authentication_error", param: null } },
    ]);
    const systemone = await bench.systemone(jevBody, ["authorization", "Bearer wrong"]);
    expect([systemone.status, parsed(systemone)]).toMatchObject([401, { code: "authentication_error" }]);
    for (const { headers } of [decisions, systemone]) {
      expect(headers["x-typesafe-request-id"]).toBe(headers["x-request-id"]);
    }
    expect(bench.seen).toBe(0);
    expect((await bench.decisions(openAiBody, authorized)).status).toBe(200);
  });

  it("tell nobody what was asked: neither the log nor the metrics", async () => {
    const secret = "the-quick-brown-fox";
    const body = { ...jevBody, state: secret, questions: { [secret]: { type: "noul", instructions: secret } } };
    expect((await bench.systemone(body, authorized)).status).toBe(200);
    bench.scorer.worker.behave = (response) => void response.writeHead(500).end(secret);
    expect((await bench.systemone(body, authorized)).status).toBe(503);
    expect((await bench.systemone({ ...body, model: secret }, authorized)).status).toBe(404);
    const metrics = await bench.proxy.metrics.render();
    expect([...lines, metrics].join("\n")).not.toContain(secret);
    expect(lines.join("\n")).toContain("decisions: not made");
  });

  it("are counted by route, status and kind of error", async () => {
    const series = (status: number, error: string) =>
      bench.proxy.metric(`pointsman_decisions_answers_total{route="systemone",status="${status}",error="${error}"}`);
    expect(await Promise.all([series(200, "ok"), series(503, "unavailable"), series(404, "not_found")])).toEqual([
      1, 1, 1,
    ]);
    const work = (kind: string) =>
      bench.proxy.metric(`pointsman_decisions_work_total{route="decisions",kind="${kind}"}`);
    expect(await Promise.all([work("branches"), work("labels")])).toEqual([3, 7]);
    expect(await bench.proxy.metric('pointsman_decisions_phase_seconds_count{route="decisions",phase="fanout"}')).toBe(
      1,
    );
  });

  it("take a client at its word that waits until its body is wanted", async () => {
    const headers = [...authorized, "expect", "100-continue"];
    const answer = await call(bench.proxy.url, { path: "/v1/decisions", body: openAiBody, headers });
    expect(answer.status).toBe(503);
  });
});
