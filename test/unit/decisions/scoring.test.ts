import { describe, expect, it } from "vitest";
import { generateBody, readScoringAnswer, ScoringError } from "../../../src/decisions/index.ts";
import { candidateScores, measuredCachedTokens, metaInfoOf } from "../../../src/decisions/scoring/scoring-frame.ts";
import { type JsonObject, parseJson } from "../../../src/json/index.ts";
import { vectors } from "./vectors.ts";

interface Vectors {
  readonly build_request: readonly {
    readonly prompt: readonly number[];
    readonly labels: readonly number[];
    readonly salt: string;
    readonly ok?: unknown;
    readonly error?: string;
  }[];
  readonly parse_candidate_scores: readonly {
    readonly name: string;
    readonly expected_ids: readonly number[];
    readonly frame: unknown;
    readonly ok?: readonly number[];
    readonly error?: string;
  }[];
  readonly measured_cached_tokens: readonly {
    readonly meta_info: object;
    readonly input_tokens: number;
    readonly ok?: number | null;
    readonly error?: string;
  }[];
}

const { build_request, parse_candidate_scores, measured_cached_tokens } = vectors<Vectors>("sglang-generate");
const lossless = (value: unknown) => parseJson(Buffer.from(JSON.stringify(value)));

describe("the call of /generate", () => {
  it.each(build_request)("$prompt $labels $salt", ({ prompt, labels, salt, ok, error }) => {
    const build = () => generateBody({ promptIds: Uint32Array.from(prompt), labelIds: labels, cacheSalt: salt });
    if (error !== undefined) expect(build).toThrow(error);
    else expect(JSON.parse(build())).toEqual(ok);
  });

  it("names the request, the rank of a worker with several, and the salt as older workers know it", () => {
    const body = generateBody({
      promptIds: Uint32Array.of(1),
      labelIds: [17],
      cacheSalt: "s",
      requestId: "r-0",
      dpRank: 3,
      isSaltedByExtraKey: true,
    });
    expect(JSON.parse(body)).toMatchObject({ rid: "r-0", routed_dp_rank: 3, cache_salt: "s", extra_key: "s" });
  });
});

describe("a frame of /generate", () => {
  it.each(parse_candidate_scores)("$name", ({ expected_ids, frame, ok, error }) => {
    const read = () => candidateScores(lossless(frame), expected_ids);
    if (ok !== undefined) expect(read()).toEqual(ok);
    else expect(read).toThrow(error?.startsWith("(") === true ? ScoringError : error);
  });

  it.each(measured_cached_tokens)("cached tokens of $meta_info", ({ meta_info, input_tokens, ok, error }) => {
    const read = () => measuredCachedTokens(lossless(meta_info) as JsonObject, input_tokens);
    if (error !== undefined) expect(read).toThrow(error);
    else expect(read()).toBe(ok ?? undefined);
  });

  it("needs a meta_info", () => expect(() => metaInfoOf(null)).toThrow("missing meta_info object"));

  it("of an overloaded worker is told from a broken one", () => {
    const abort = (status_code: number) =>
      lossless({ meta_info: { finish_reason: { type: "abort", message: "secret", status_code } } });
    expect(() => candidateScores(abort(503), [1])).toThrow(expect.objectContaining({ failure: "overloaded" }));
    expect(() => candidateScores(abort(400), [1])).toThrow(expect.objectContaining({ failure: "malformed" }));
  });
});

describe("a stream of /generate", () => {
  const meta = { completion_tokens: 0, output_token_ids_logprobs: [[[-0.5, 17, null]]] };
  const last = { meta_info: { ...meta, finish_reason: { type: "length" }, cached_tokens: 2 } };
  const open = { meta_info: { finish_reason: null } };
  const stream = (...frames: readonly unknown[]) =>
    Buffer.from([...frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`), "data: [DONE]\n\n"].join(""));

  it("has one last frame among others", () => {
    expect(readScoringAnswer(stream(open, last), [17], 4)).toMatchObject({ logprobs: [-0.5], cachedTokens: 2 });
  });

  it.each([
    { name: "without a last frame", bytes: stream(open) },
    { name: "with two last frames", bytes: stream(last, last) },
    { name: "of nothing", bytes: Buffer.alloc(0) },
    { name: "with a frame that is no JSON", bytes: Buffer.from("data: {\n\n") },
    { name: "with an error in place of a frame", bytes: stream({ error: { message: "x" } }) },
  ])("$name is refused", ({ bytes }) => {
    expect(() => readScoringAnswer(bytes, [17], 4)).toThrow(ScoringError);
  });
});
