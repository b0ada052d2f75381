import { describe, expect, it, vi } from "vitest";
import { DecisionError } from "../../../../src/decisions/index.ts";
import { JsonReader } from "../../../../src/json/index.ts";
import type { ScoringModel, ScoringPicks } from "../../../../src/router/index.ts";
import { DecisionTrace } from "../../../../src/surface/decisions/decision-trace.ts";
import { DecisionMaker } from "../../../../src/surface/decisions/index.ts";
import { jevBody, openAiBody } from "../../../support/decisions/bodies.ts";
import { errorRow } from "../../../support/decisions/error-rows.ts";

const options = {
  maxValues: 1_000,
  modelAliases: {},
  maxBranches: 12,
  maxInputTokens: 65_536,
  maxPreflights: 1,
  maxPromptBytes: 1_000_000,
  maxTextBytes: 1_000_000,
  maxLabelWork: 1_048_576,
  maxSiblings: 4,
  deadlineMs: 1_000,
  maxWorkerAnswerBytes: 1_000,
  retryAfterSeconds: 1,
};

const scoring = { saltField: "cache_salt", contextTokens: undefined, measuresCachedTokens: true, maxCandidates: 255 };

/** A maker whose prompts are made when `made` resolves; nothing comes after them. */
function maker(made: Promise<never>, found?: ReturnType<ScoringPicks["find"]>) {
  const model = { name: "m" };
  const target = { model, workers: [{ scoring }], prompts: { prompt: () => made } } as unknown as ScoringModel;
  const fail = () => {
    throw new Error("nothing may be asked");
  };
  const after: (() => void)[] = [];
  const deadlines: number[] = [];
  const making = new DecisionMaker({
    picks: { find: () => found ?? target, pick: fail, join: fail },
    rewrite: () => undefined,
    dispatcher: { send: fail },
    reports: { unreachable: fail, failed: fail, answered: fail },
    telemetry: {
      answered: () => undefined,
      refused: () => undefined,
      phase: () => undefined,
      asked: fail,
      picked: fail,
      used: fail,
    },
    clock: {
      now: () => 0,
      after: (delayMs, callback) => {
        deadlines.push(delayMs);
        after.push(callback);
        return () => undefined;
      },
    },
    reader: new JsonReader({}),
    options,
  });
  return { making, after, deadlines };
}

const headers = { get: () => undefined, getAll: () => [] };

const call = (body: object, isReady = true, signal = new AbortController().signal) => ({
  route: "decisions" as const,
  dialect: "openai" as const,
  body: Buffer.from(JSON.stringify(body)),
  requestId: "r",
  headers,
  trace: new DecisionTrace(undefined, headers, "r"),
  isReady,
  signal,
});

const never = () => new Promise<never>(() => undefined);

async function errorOf(decision: Promise<unknown>): Promise<{ status: number; message: string }> {
  const error = await decision.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  if (!(error instanceof DecisionError)) throw error;
  return { status: error.statusIn("openai"), message: error.message };
}

const told = (row: string) => {
  const { status, body } = errorRow(row).openai as { status: number; body: { error: { message: string } } };
  return { status, message: body.error.message };
};

describe("a decision's checks", () => {
  it("that need nothing come before the question whether the process is ready", async () => {
    const { making } = maker(never());
    expect(await errorOf(making.decide(call({ ...openAiBody, model: "" }, false)))).toMatchObject({ status: 400 });
    expect(await errorOf(making.decide(call(openAiBody, false)))).toEqual(told("frontend not ready"));
  });

  it("look for room for its questions, and give it back", async () => {
    const failed = Promise.reject(new DecisionError("internal", "x"));
    failed.catch(() => undefined);
    const { making } = maker(failed as Promise<never>);
    await errorOf(making.decide(call(openAiBody)));
    expect(making.branches).toBe(0);
  });

  it("take as many requests as may make their prompts at one time", async () => {
    const { making } = maker(never());
    void making.decide(call(openAiBody));
    await vi.waitFor(() => expect(making.branches).toBe(3));
    expect(await errorOf(making.decide(call(openAiBody)))).toEqual(told("preprocessing permits"));
    expect(making.branches).toBe(3);
  });
});

describe("a decision that is given up", () => {
  it("keeps its place among those whose prompts are made until that has ended", async () => {
    let finish: (error: Error) => void = () => undefined;
    const { making } = maker(new Promise<never>((_, reject) => (finish = reject)));
    const left = new AbortController();
    const first = making.decide(call(openAiBody, true, left.signal));
    await vi.waitFor(() => expect(making.branches).toBe(3));
    left.abort(new Error("the client has left"));
    expect(await errorOf(making.decide(call(openAiBody)))).toEqual(told("preprocessing permits"));
    finish(new Error("ended"));
    await expect(first).rejects.toThrow();
    expect(making.branches).toBe(0);
  });
});

describe("a model that makes no decisions", () => {
  it.each([
    { reason: "unknown_model", row: "unknown model" },
    { reason: "not_scorable", row: "model known but not" },
    { reason: "no_worker", row: "model known, no live" },
  ] as const)("is told: $reason", async ({ reason, row }) => {
    const { making } = maker(never(), reason);
    expect(await errorOf(making.decide(call(openAiBody)))).toEqual(told(row));
  });
});

it("reads the other contract by its own rules", async () => {
  const { making } = maker(never(), "unknown_model");
  const body = Buffer.from(JSON.stringify(jevBody));
  const failure = making.decide({ ...call({}), dialect: "jev", body });
  expect(await errorOf(failure)).toMatchObject({ message: "model is not registered" });
});
