import { describe, expect, it } from "vitest";
import type { DecisionRequest } from "../../../../src/decisions/index.ts";
import type { ScoringModel } from "../../../../src/router/index.ts";
import { preflight } from "../../../../src/surface/decisions/preflight.ts";

const limits = { maxInputTokens: 100, maxPromptBytes: 1_000_000, maxTextBytes: 10_000_000, maxLabelWork: 10_000 };
const quiet = new AbortController().signal;

function requestOf(count: number, input: string): DecisionRequest {
  const candidate = { description: null, label: null };
  const question = {
    id: null,
    kind: "predicate" as const,
    instructions: "x",
    candidates: [
      { value: true, ...candidate },
      { value: false, ...candidate },
    ],
  };
  return { dialect: "openai", model: "m", input, questions: Array.from({ length: count }, () => question) };
}

/** Prompts of so many tokens each, at once. */
function prompts(tokens: number) {
  const made: string[] = [];
  const prompt = (content: string) => {
    made.push(content);
    return Promise.resolve({ tokenIds: new Uint32Array(tokens), pieces: [content] });
  };
  const labelIds = () => Promise.resolve([1, 2]);
  return { made, prompts: { prompt, labelIds } as unknown as ScoringModel["prompts"] };
}

describe("the prompts of a request", () => {
  it("are made no further once their tokens are too many", async () => {
    const { made, prompts: making } = prompts(40);
    await expect(preflight(requestOf(10, "input"), making, limits, quiet)).rejects.toThrow(
      "request expands to 120 prompt tokens; the System One limit is 100",
    );
    expect(made).toHaveLength(3);
  });

  it("are not begun for a text that is too long for one", async () => {
    const { made, prompts: making } = prompts(1);
    const failure = preflight(requestOf(1, "x".repeat(1_000_000)), making, limits, quiet);
    await expect(failure).rejects.toThrow("a prompt of the request has over 1000000 bytes of text");
    expect(made).toEqual([]);
  });

  it("let other work go on between them, also when each is known already", async () => {
    const { prompts: making } = prompts(1);
    let turns = 0;
    let isOver = false;
    const turn = () => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    await preflight(requestOf(10, "x".repeat(300_000)), making, limits, quiet);
    isOver = true;
    expect(turns).toBeGreaterThanOrEqual(9);
  });
});
