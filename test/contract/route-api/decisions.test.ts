import { afterEach, describe, expect, it } from "vitest";
import { RunningApi } from "./running-api.ts";

let api: RunningApi | undefined;
afterEach(async () => {
  await api?.close();
  api = undefined;
});

async function start(more = ""): Promise<RunningApi> {
  api = await RunningApi.start(`
mode: reserve
models: [{ name: m, loadOnly: true }]
workers: [{ name: a, id: "18446744073709551615", endpoint: "127.0.0.1:1" }, { name: b, endpoint: "127.0.0.1:2" }]
${more}`);
  return api;
}

const request = (id: string) => ({
  request: {
    path: "/v1/chat/completions",
    headers: { "x-request-id": id },
    body: { model: "m", messages: [{ role: "user", content: "private words" }] },
  },
});

describe("GET /decisions", () => {
  it("lists what was booked and refused, the newest first, and not what was only asked", async () => {
    const running = await start();
    await running.call("POST", "/route", request("asked"));
    await running.call("POST", "/route_and_reserve", request("r1"));
    await running.call("POST", "/route_and_reserve", { ...request("r2"), allowed_worker_ids: [5] });
    await running.call("POST", "/route_and_reserve", { ...request("r3"), allowed_worker_ids: [18446744073709551615n] });
    const { status, body, text } = await running.call("GET", "/decisions");
    expect(status).toBe(200);
    const place = { worker_id: 18446744073709551615n, worker_name: "a", dp_rank: 0, endpoint: "127.0.0.1:1" };
    expect(body.decisions).toMatchObject([
      { number: 3, request_id: "r3", outcome: "picked", api: "chat", model: "m", picked: place },
      { number: 2, request_id: "r2", outcome: "no_endpoints" },
      { number: 1, request_id: "r1", outcome: "picked" },
    ]);
    expect(body.decisions[1]).not.toHaveProperty("picked");
    expect(Math.abs(body.decisions[0].at_ms - Date.now())).toBeLessThan(60_000);
    expect(text).not.toContain("private");
  });

  it("lists as many as are wanted, or those of one request", async () => {
    const running = await start();
    for (const id of ["r1", "r2", "r&2", "r2"]) await running.call("POST", "/route_and_reserve", request(id));
    const numbers = async (query: string): Promise<unknown> =>
      (await running.call("GET", `/decisions${query}`)).body.decisions?.map(({ number }: { number: number }) => number);
    expect(await numbers("?limit=2")).toEqual([4, 3]);
    expect(await numbers("?request_id=r2")).toEqual([4, 2]);
    expect(await numbers("?request_id=r%262&limit=9")).toEqual([3]);
    expect(await numbers("?request_id=")).toEqual([]);
    for (const limit of ["0", "-1", "x", "1e3", "9999999999", ""]) {
      expect((await running.call("GET", `/decisions?limit=${limit}`)).status).toBe(400);
    }
  });

  it("is empty where none are kept", async () => {
    const running = await start("decisions: { maxDecisions: 0 }");
    await running.call("POST", "/route_and_reserve", request("r1"));
    expect((await running.call("GET", "/decisions")).body).toEqual({ decisions: [] });
  });
});

describe("GET /decisions/{number}", () => {
  it("tells every worker with its load and cost, or what kept it out", async () => {
    const running = await start();
    await running.call("POST", "/route_and_reserve", { ...request("r1"), allowed_worker_ids: [18446744073709551615n] });
    const { status, body, text } = await running.call("GET", "/decisions/1");
    expect(status).toBe(200);
    expect(body).toMatchObject({ number: 1, request_id: "r1", outcome: "picked" });
    const { answering, load_only_reason: reason } = body.explanation;
    expect(reason).toEqual(expect.any(String));
    expect(answering.candidates[answering.chosen]).toMatchObject({ worker_name: "a", load: { requests: 0 } });
    expect(answering.candidates).toHaveLength(2);
    expect(answering.candidates.find((each: { worker_name: string }) => each.worker_name === "b")).toMatchObject({
      exclusion: "not_allowed",
    });
    expect(text).not.toContain("private");
  });

  it.each(["0", "2", "-1", "x", "1.0", "99999999999999999999", "%31%00"])("answers 404 to %s", async (number) => {
    const running = await start();
    await running.call("POST", "/route_and_reserve", request("r1"));
    const { status, body } = await running.call("GET", `/decisions/${number}`);
    expect([status, body.code]).toEqual([404, "not_found"]);
  });

  it("forgets the oldest", async () => {
    const running = await start("decisions: { maxDecisions: 2 }");
    for (const id of ["r1", "r2", "r3"]) await running.call("POST", "/route_and_reserve", request(id));
    expect((await running.call("GET", "/decisions/1")).status).toBe(404);
    expect((await running.call("GET", "/decisions/2")).body.request_id).toBe("r2");
  });
});

describe("the log at level debug", () => {
  it("has one line `picked` for each choice, with every candidate and nothing of the prompt", async () => {
    const lines: Record<string, unknown>[] = [];
    api = await RunningApi.start(
      `
mode: reserve
models: [{ name: m, loadOnly: true }]
workers: [{ name: a, id: "7", endpoint: "127.0.0.1:1" }, { name: b, endpoint: "127.0.0.1:2" }]
`,
      { logLine: (line) => lines.push(JSON.parse(line)) },
    );
    const prompt = { model_name: "m", token_ids: [11, 12, 13, 14], allowed_worker_ids: [7] };
    const { body: reserved } = await api.call("POST", "/route_and_reserve", request("r1"));
    await api.call("POST", "/route", request("r2"));
    await api.call("POST", "/select_and_reserve", { ...prompt, selection_id: "s1" });
    await api.call("POST", "/select", { ...prompt, selection_id: "s2" });
    await api.call("POST", "/reservations", { model_name: "m", selection_id: "s2" });
    const endpoint = "127.0.0.1:1";
    const common = { level: "debug", msg: "picked", model: "m" };
    const candidates = [{ worker: "a" }, { worker: "b" }];
    expect(lines).toMatchObject([
      { ...common, candidates, requestId: "r1", reservationId: reserved.reservation.reservation_id, isBooked: true },
      { ...common, candidates, requestId: "r2", isBooked: false },
      { ...common, reservationId: "s1", isBooked: true, worker: "a", endpoint },
      { ...common, isBooked: false, worker: "a", endpoint },
      { ...common, reservationId: "s2", isBooked: true, worker: "a", endpoint },
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/private|\[11,/);
  });
});
