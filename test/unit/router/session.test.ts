import { describe, expect, it } from "vitest";
import { sessionOf } from "../../../src/router/session.ts";
import { FakeClock } from "../load/fake-clock.ts";
import { completion, fixture, headers, request } from "./fixture.ts";

const signal = new AbortController().signal;
const workers = ["a", "b", "c", "d"].map((name, i) => ({ name, endpoint: `10.0.0.${i + 1}:80` }));

describe("the session of a request", () => {
  it.each([
    [{ "x-dynamo-session-id": "s" }, "s"],
    [{ "x-claude-code-session-id": "s" }, "s"],
    [{ "x-claude-code-session-id": "s", "x-claude-code-agent-id": "sub" }, "sub"],
    [{ "thread-id": "t", "session-id": "s", "x-client-request-id": "r" }, "t"],
    [{ "session-id": "s" }, "s"],
    [{ "x-session-id": "s", "x-session-affinity": "other" }, "s"],
    [{ "x-session-affinity": "s" }, "s"],
    [{ session_id: "s", "x-client-request-id": "r" }, "s"],
    [{ "x-dynamo-session-id": "s", "thread-id": "t" }, "s"],
    [{ "x-dynamo-session-id": "  ", "thread-id": " t " }, "t"],
  ])("of %o is %s", (sent, id) => {
    expect(sessionOf(headers(sent as Record<string, string>))).toEqual({ id, isFinal: false });
  });

  it.each([{}, { "x-client-request-id": "r" }, { "x-claude-code-agent-id": "sub" }, { "thread-id": "x".repeat(257) }])(
    "is none for %o",
    (sent) => {
      expect(sessionOf(headers(sent as Record<string, string>))).toBeUndefined();
    },
  );

  it.each([
    ["true", true],
    ["1", true],
    ["YES", true],
    ["false", false],
    ["0", false],
    ["", false],
  ])("is final when x-dynamo-session-final is %s: %s", (value, isFinal) => {
    const sent = headers({ "x-dynamo-session-id": "s", "x-dynamo-session-final": value });
    expect(sessionOf(sent)?.isFinal).toBe(isFinal);
  });
});

describe("session affinity", () => {
  const of = (session: string, more = {}) => headers({ "x-session-id": session, ...more });

  function setup(options = {}) {
    const clock = new FakeClock();
    let roll = 0;
    // Another worker each time, where nothing else decides.
    const made = fixture({ workers, clock, options, random: () => (roll++ % 4) / 4 });
    const ask = (session: string, more = {}) =>
      made.router.route({ ...request("/v1/embeddings", '{"model":"m"}'), headers: of(session, more) }, signal);
    return { ...made, clock, ask };
  }

  it("keeps requests whose prompt is not known on one worker", async () => {
    const { ask } = setup();
    const endpoints = new Set<string>();
    for (let i = 0; i < 6; i++) {
      const decision = await ask("s");
      expect(decision.selection.session).toBe(i === 0 ? "new" : "kept");
      endpoints.add(decision.endpoint);
      decision.reservation.release();
    }
    expect(endpoints.size).toBe(1);
  });

  it("spreads sessions, not requests", async () => {
    const { ask } = setup();
    const endpoints = await Promise.all(["p", "q", "r", "s"].map(async (session) => (await ask(session)).endpoint));
    expect(new Set(endpoints).size).toBe(4);
  });

  it("is off where the setting says so", async () => {
    const { ask, router } = setup({ affinity: { mode: "off", softRatio: 9, softBlocks: 9 } });
    const first = await ask("s");
    first.reservation.release();
    const prepared = await router.prepare({ ...completion("a"), headers: of("s") });
    expect(router.select(prepared, { subset: undefined, requestedEndpoints: undefined }).session).toBeUndefined();
  });

  it("changes by booked requests only", async () => {
    const { router, ask } = setup();
    const prepared = await router.prepare({ ...completion("a"), headers: of("s") });
    router.select(prepared, { subset: undefined, requestedEndpoints: undefined });
    expect((await ask("s")).selection.session).toBe("new");
  });

  it("ends by time, by the final request, and with the worker", async () => {
    const { ask, clock, catalogue } = setup();
    (await ask("s")).reservation.release();
    clock.advance(1_000);
    expect((await ask("s")).selection.session).toBe("new");
    (await ask("t", { "x-dynamo-session-final": "true" })).reservation.release();
    expect((await ask("t")).selection.session).toBe("new");
    const { endpoint } = await ask("u");
    const worker = catalogue.byEndpoint(endpoint);
    if (worker !== undefined) catalogue.remove(worker.id);
    expect((await ask("u")).selection.session).toBe("new");
  });

  it("moves on from a worker that is away, and stays there", async () => {
    const { ask, catalogue } = setup();
    const first = await ask("s");
    const worker = catalogue.byEndpoint(first.endpoint);
    if (worker === undefined) throw new Error("picked a worker that is not there");
    catalogue.setDraining(worker, true);
    const second = await ask("s");
    expect(second.selection.session).toBe("moved");
    catalogue.setDraining(worker, false);
    const third = await ask("s");
    expect([third.endpoint, third.selection.session]).toEqual([second.endpoint, "kept"]);
  });

  it("follows the worker that served instead of the picked one", async () => {
    const { ask, catalogue } = setup();
    const { endpoint, reservation } = await ask("s");
    const other = [...catalogue.workers()].find((worker) => worker.endpoint !== endpoint);
    reservation.servedBy(other?.endpoint ?? "");
    reservation.release();
    expect((await ask("s")).endpoint).toBe(other?.endpoint);
  });

  it("leaves a worker that holds much less than another, unless it is hard", async () => {
    for (const mode of ["soft", "hard"] as const) {
      const { router, hold, ask } = setup({ affinity: { mode, softRatio: 0.5, softBlocks: 0 } });
      const { endpoint, reservation, selection } = await ask("s");
      reservation.release();
      const holder = selection.answering.rank.worker.name === "a" ? "b" : "a";
      hold(holder, "abcdefghijklmnop");
      const next = await router.route({ ...completion("abcdefghijklmnop"), headers: of("s") }, signal);
      expect(next.selection.session).toBe(mode === "hard" ? "kept" : "moved");
      expect(next.endpoint === endpoint).toBe(mode === "hard");
    }
  });

  it("keeps both workers of a pair", async () => {
    const pool = [
      { name: "p", endpoint: "10.0.1.1:80", role: "prefill" as const },
      { name: "q", endpoint: "10.0.1.2:80", role: "prefill" as const },
      { name: "d", endpoint: "10.0.1.3:80", role: "decode" as const },
      { name: "e", endpoint: "10.0.1.4:80", role: "decode" as const },
    ];
    let roll = 0;
    const { router } = fixture({ workers: pool, random: () => (roll++ % 2) / 2 });
    const pairs = new Set<string>();
    for (let i = 0; i < 6; i++) {
      const { selection, reservation } = await router.route({ ...completion(`ab${i}`), headers: of("s") }, signal);
      pairs.add(`${selection.prefill?.rank.worker.name}${selection.answering.rank.worker.name}`);
      reservation.release();
    }
    expect(pairs.size).toBe(1);
  });
});
