import { request, type ServerResponse } from "node:http";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { ScoringCapability, WorkerSpec } from "../../../src/fleet/index.ts";
import { jevBody, openAiBody } from "../../support/decisions/bodies.ts";
import { DecisionBench } from "../../support/decisions/decision-bench.ts";
import { errorRow, shown } from "../../support/decisions/error-rows.ts";
import { bodyOf, frames, type SeenCall, score } from "../../support/decisions/scorer.ts";
import type { SeenRequest } from "../../support/proxy/fake-worker.ts";

let bench: DecisionBench;

beforeAll(async () => {
  bench = await DecisionBench.start({
    workers: 3,
    api: "maxBranches: 12, deadlineMs: 2000, maxWorkerAnswerBytes: 20000",
  });
}, 60_000);

afterEach(async () => {
  await settled();
  for (const { worker } of bench.scorers) {
    worker.behave = score;
    worker.seen.length = 0;
  }
});

afterAll(() => bench?.close());

/** Nothing is booked, and no call is under way. */
async function settled(): Promise<void> {
  await vi.waitFor(async () => {
    expect(bench.proxy.booked).toEqual({ requests: 0, decodeBlocks: 0, prefillTokens: 0 });
    expect(await bench.proxy.metric("pointsman_decisions_branches")).toBe(0);
  });
}

type Behave = (response: ServerResponse, request: SeenRequest) => void;

/** All workers do this with scoring calls. */
function all(behave: Behave): void {
  for (const { worker } of bench.scorers) {
    worker.behave = (response, request) => {
      if (request.target === "/generate") behave(response, request);
      else response.end("{}");
    };
  }
}

const ordinalOf = (request: SeenRequest) => Number((bodyOf(request) as SeenCall).rid.split("-").at(-1));

/** Answers the calls of these ordinals; the others hang. */
const onlyThe =
  (...ordinals: readonly number[]): Behave =>
  (response, request) => {
    if (ordinals.includes(ordinalOf(request))) score(response, request);
  };

const questions = (count: number) => ({
  ...jevBody,
  questions: Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`q${at}`, { type: "noul", instructions: `k${at}` }]),
  ),
});

const calls = () => bench.scorers.flatMap((scorer) => scorer.calls);
/** Ids of the calls of these ordinals. */
const idsOf = (isOne: (ordinal: number) => boolean) =>
  bench.scorers
    .flatMap(({ worker }) => worker.seen)
    .filter((seen) => seen.target === "/generate" && isOne(ordinalOf(seen)))
    .map((seen) => (bodyOf(seen) as SeenCall).rid)
    .toSorted();
/** Calls that a worker was told to stop. */
const stopped = () => bench.scorers.flatMap((scorer) => scorer.stopped).toSorted();

describe("a decision's questions", () => {
  it("go to one worker, the first alone and then four at one time", async () => {
    let running = 0;
    const atOnce: number[] = [];
    all((response, request) => {
      atOnce.push(++running);
      setImmediate(() => {
        running -= 1;
        score(response, request);
      });
    });
    expect((await bench.systemone(questions(10))).status).toBe(200);
    expect(bench.scorers.filter((scorer) => scorer.calls.length > 0)).toHaveLength(1);
    expect(calls()).toHaveLength(10);
    expect(ordinalOf(bench.scorers.flatMap(({ worker }) => worker.seen)[0] as SeenRequest)).toBe(0);
    expect(Math.max(...atOnce)).toBeLessThanOrEqual(4);
  });

  it("are load on their worker while they run, and only then", async () => {
    all(onlyThe());
    const answer = bench.systemone(questions(3));
    await vi.waitFor(() => expect(calls()).toHaveLength(1));
    expect(bench.proxy.booked.requests).toBe(1);
    expect(bench.proxy.booked.prefillTokens).toBe(calls()[0]?.input_ids.length);
    await answer;
    await settled();
  });

  it("of several requests go to idle workers", async () => {
    all(onlyThe());
    const running = Array.from({ length: 3 }, () => bench.systemone(questions(1)));
    await vi.waitFor(() => expect(calls()).toHaveLength(3));
    expect(bench.scorers.map((scorer) => scorer.calls.length)).toEqual([1, 1, 1]);
    await Promise.all(running);
  });
});

describe("ids of calls", () => {
  it("hold nothing that a client chooses, and none begins another one: a worker stops all that begin with the one it is told", async () => {
    for (const id of ["a", "a", "a-0", "0"]) await bench.systemone(questions(12), ["x-request-id", id]);
    const ids = calls().map(({ rid }) => rid);
    expect(ids).toHaveLength(48);
    for (const id of ids) {
      expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}-\d{3}$/);
      expect(ids.filter((other) => other.startsWith(id))).toEqual([id]);
    }
    expect(new Set(ids.map((id) => id.slice(0, 36))).size).toBe(4);
  });
});

describe("a failure of one question", () => {
  it.each([
    { name: "first", failing: 0, answered: [] },
    { name: "sibling", failing: 2, answered: [0] },
  ])("ends them all, and begins no more: the $name", async ({ failing, answered }) => {
    all((response, request) => {
      if (ordinalOf(request) === failing) frames(response, { meta_info: {} });
      else onlyThe(...answered)(response, request);
    });
    const answer = await bench.systemone(questions(10));
    expect(shown(answer)).toEqual(errorRow("malformed/aborted").systemone);
    expect(calls().length).toBeLessThanOrEqual(5);
    const left = idsOf((ordinal) => ordinal !== failing && !answered.some((at) => ordinal === at));
    await vi.waitFor(() => expect(stopped()).toEqual(left));
  });

  it("is no partial answer", async () => {
    all((response, request) => (ordinalOf(request) === 9 ? response.destroy() : score(response, request)));
    expect(shown(await bench.decisions(fullOf(10)))).toEqual(errorRow("worker connection").openai);
  });
});

const fullOf = (count: number) => ({
  ...openAiBody,
  questions: Array.from({ length: count }, () => openAiBody.questions[1]),
});

describe("a worker's fault", () => {
  const frame = (request: SeenRequest, meta: object, rest: object = {}) => ({
    ...rest,
    meta_info: {
      finish_reason: { type: "length" },
      completion_tokens: 0,
      cached_tokens: 0,
      output_token_ids_logprobs: [(bodyOf(request) as SeenCall).token_ids_logprob.map((id) => [-1, id, null])],
      ...meta,
    },
  });

  it.each<{ name: string; row: string; behave: Behave }>([
    { name: "429", row: "worker rejected", behave: (response) => response.writeHead(429).end("secret") },
    {
      name: "a full queue",
      row: "worker rejected",
      behave: (response) => response.writeHead(503).end("The request queue is full."),
    },
    {
      name: "an abort for want of room",
      row: "worker rejected",
      behave: (response, request) =>
        frames(response, frame(request, { finish_reason: { type: "abort", status_code: 503, message: "secret" } })),
    },
    { name: "500", row: "worker connection", behave: (response) => response.writeHead(500).end("secret") },
    { name: "503", row: "worker connection", behave: (response) => response.writeHead(503).end("secret") },
    { name: "404", row: "worker connection", behave: (response) => response.writeHead(404).end("secret") },
    { name: "a broken connection", row: "worker connection", behave: (response) => response.destroy() },
    {
      name: "an abort",
      row: "malformed/aborted",
      behave: (response, request) =>
        frames(response, frame(request, { finish_reason: { type: "abort", message: "secret" } })),
    },
    {
      name: "two last frames",
      row: "malformed/aborted",
      behave: (response, request) => frames(response, frame(request, {}), frame(request, {})),
    },
    {
      name: "no last frame",
      row: "malformed/aborted",
      behave: (response, request) => frames(response, frame(request, { finish_reason: null })),
    },
    {
      name: "a token",
      row: "malformed/aborted",
      behave: (response, request) => frames(response, frame(request, {}, { output_ids: [1] })),
    },
    {
      name: "no count of tokens",
      row: "malformed/aborted",
      behave: (response, request) => frames(response, frame(request, { completion_tokens: undefined })),
    },
    {
      name: "more cached than asked",
      row: "malformed/aborted",
      behave: (response, request) => frames(response, frame(request, { cached_tokens: 10_000 })),
    },
    {
      name: "probabilities over one",
      row: "malformed/aborted",
      behave: (response, request) => score(response, request, { logprobs: [-0.1, -0.1, -0.1] }),
    },
    {
      name: "positive logarithms",
      row: "malformed/aborted",
      behave: (response, request) => score(response, request, { logprobs: [0.5, -9, -9] }),
    },
    { name: "no JSON", row: "malformed/aborted", behave: (response) => response.writeHead(200).end("data: {\n\n") },
    {
      name: "an endless answer",
      row: "malformed/aborted",
      behave: (response) => response.writeHead(200).end("x".repeat(30_000)),
    },
  ])("is told apart, and its words are not passed on: $name", async ({ row, behave }) => {
    all(behave);
    const expected = errorRow(row);
    for (const [answer, told] of [
      [await bench.decisions(openAiBody), expected.openai],
      [await bench.systemone(jevBody), expected.systemone],
    ] as const) {
      expect(shown(answer)).toEqual(told);
      expect(answer.headers).toMatchObject(expected.headers);
      expect(answer.headers["x-typesafe-request-id"]).toBe(answer.headers["x-request-id"]);
    }
  });

  it("that leaves cache reads unmeasured is one for OpenAI's contract alone", async () => {
    all((response, request) => score(response, request, { cachedTokens: null }));
    expect(shown(await bench.decisions(openAiBody))).toEqual(errorRow("projection invariant").openai);
    expect((await bench.systemone(jevBody)).status).toBe(200);
  });
});

describe("a decision that takes too long", () => {
  it("is ended at its deadline, at the worker too", async () => {
    all(onlyThe());
    const answer = await bench.decisions(openAiBody, ["x-request-id", "late"]);
    expect(shown(answer)).toEqual(errorRow("deadline").openai);
    await vi.waitFor(() => expect(stopped()).toEqual(idsOf(() => true)));
  });

  it("is ended when its client leaves, at the worker too", async () => {
    all(onlyThe(0));
    const client = request(`${bench.proxy.url}/v1/systemone`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-request-id": "gone" },
    });
    client.on("error", () => undefined);
    client.end(JSON.stringify(questions(8)));
    await vi.waitFor(() => expect(calls()).toHaveLength(5));
    client.destroy();
    await vi.waitFor(() => expect(stopped()).toEqual(idsOf((ordinal) => ordinal > 0)));
    await settled();
    expect(calls()).toHaveLength(5);
  });
});

describe("admission", () => {
  it("refuses what has no room, and takes it once there is", async () => {
    all(onlyThe());
    const running = bench.systemone(questions(12));
    await vi.waitFor(() => expect(calls()).toHaveLength(1));
    const refused = [await bench.decisions(openAiBody), await bench.systemone(jevBody)];
    const { openai, systemone, headers } = errorRow("branch capacity");
    expect(refused.map(shown)).toEqual([openai, systemone]);
    for (const answer of refused) expect(answer.headers).toMatchObject(headers);
    await running;
    all(score);
    expect((await bench.systemone(questions(12))).status).toBe(200);
  });
});

describe("workers that cannot", () => {
  it("serve the model now: 503", async () => {
    const workers = [...bench.proxy.core.catalogue.workers()];
    for (const worker of workers) bench.proxy.core.catalogue.setDraining(worker, true);
    try {
      const { openai, systemone } = errorRow("model known, no live");
      expect([await bench.decisions(openAiBody), await bench.systemone(jevBody)].map(shown)).toEqual([
        openai,
        systemone,
      ]);
    } finally {
      for (const worker of workers) bench.proxy.core.catalogue.setDraining(worker, false);
    }
  });

  it("go on, because the one that the first question went to is gone: 503", async () => {
    const { catalogue } = bench.proxy.core;
    await among({}, async () => {
      all((response, request) => {
        const host = request.rawHeaders[request.rawHeaders.findIndex((name) => name.toLowerCase() === "host") + 1];
        const worker = catalogue.byEndpoint(host ?? "");
        if (worker !== undefined) catalogue.remove(worker.id);
        score(response, request);
      });
      expect(shown(await bench.systemone(questions(3)))).toEqual(errorRow("worker connection").systemone);
      expect(calls()).toHaveLength(1);
    });
  });
});

/** The same workers, otherwise; as they were afterwards. */
async function among(changes: Partial<WorkerSpec>, run: () => Promise<void>): Promise<void> {
  const { catalogue } = bench.proxy.core;
  const before = [...catalogue.workers()].map((worker) => ({ ...worker }));
  for (const worker of before) catalogue.put({ ...worker, ...changes });
  try {
    await run();
  } finally {
    for (const worker of before) catalogue.put(worker);
  }
}

const capability: ScoringCapability = {
  saltField: "cache_salt",
  contextTokens: undefined,
  measuresCachedTokens: true,
  maxCandidates: 255,
};

describe("workers that can do less", () => {
  it("score nothing: 400", async () => {
    await among({ scoring: undefined }, async () => {
      const { openai, systemone } = errorRow("model known but not");
      expect([await bench.decisions(openAiBody), await bench.systemone(jevBody)].map(shown)).toEqual([
        openai,
        systemone,
      ]);
    });
  });

  it("take fewer candidates", async () => {
    await among({ scoring: { ...capability, maxCandidates: 2 } }, async () => {
      const { openai, systemone } = errorRow("candidate count above");
      expect([await bench.decisions(openAiBody), await bench.systemone(jevBody)].map(shown)).toEqual([
        openai,
        systemone,
      ]);
      expect(calls()).toEqual([]);
    });
  });

  it("do not measure their cache: OpenAI's contract cannot be served, Jev's can", async () => {
    await among({ scoring: { ...capability, measuresCachedTokens: false } }, async () => {
      expect(shown(await bench.decisions(openAiBody))).toMatchObject({
        status: 400,
        body: { error: { code: "unsupported_capability" } },
      });
      expect((await bench.systemone(jevBody)).status).toBe(200);
    });
  });

  it("have a short context", async () => {
    await among({ scoring: { ...capability, contextTokens: 51 } }, async () => {
      const { status } = await bench.systemone({ ...jevBody, state: "word ".repeat(60) });
      expect([status, calls()]).toEqual([422, []]);
      expect((await bench.systemone({ ...jevBody, state: "x" })).status).toBe(200);
    });
  });

  it("know the salt by its older name", async () => {
    await among({ scoring: { ...capability, saltField: "extra_key" } }, async () => {
      await bench.systemone(jevBody);
      expect(calls()).toHaveLength(3);
      for (const { extra_key, cache_salt } of calls()) expect(extra_key).toBe(cache_salt);
    });
  });
});

describe("a worker of several ranks", () => {
  it("is told one rank for all questions", async () => {
    await among({ dpSize: 4, dpRankStart: 2 }, async () => {
      expect((await bench.systemone(jevBody)).status).toBe(200);
      const ranks = calls().map(({ routed_dp_rank }) => routed_dp_rank ?? -1);
      expect([ranks.length, new Set(ranks).size]).toEqual([3, 1]);
      expect([2, 3, 4, 5]).toContain(ranks[0]);
    });
  });

  it("that says it was another rank is not believed: 503", async () => {
    await among({ dpSize: 2 }, async () => {
      all((response, request) => score(response, request, { meta: { dp_rank: 7 } }));
      expect(shown(await bench.systemone(jevBody))).toEqual(errorRow("worker connection").systemone);
    });
  });
});
