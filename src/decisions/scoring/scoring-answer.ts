import { Buffer } from "node:buffer";
import { JsonSyntaxError, type JsonValue, parseJson } from "../../json/index.ts";
import { ScoringError } from "./scoring-error.ts";
import { candidateScores, countOf, measuredCachedTokens, metaInfoOf, type ScoredPrompt } from "./scoring-frame.ts";

const endMark = "[DONE]";

/**
 * Reads a whole event stream of `/generate`: exactly one of its frames must be the last one.
 * @param inputTokens of the prompt that was sent
 * @throws ScoringError
 */
export function readScoringAnswer(
  stream: Buffer,
  labelIds: readonly number[],
  inputTokens: number,
): ScoredPrompt & { readonly dpRank: number | undefined } {
  const last = framesOf(stream).filter(isTerminal);
  if (last.length !== 1) throw new ScoringError(`expected one terminal frame, received ${last.length}`);
  const [frame] = last as [JsonValue];
  const meta = metaInfoOf(frame);
  return {
    logprobs: candidateScores(frame, labelIds),
    cachedTokens: measuredCachedTokens(meta, inputTokens),
    dpRank: countOf(meta.get("dp_rank")),
  };
}

function framesOf(stream: Buffer): readonly JsonValue[] {
  const frames: JsonValue[] = [];
  for (const event of stream.toString("utf8").split(/\r?\n\r?\n/)) {
    const text = dataOf(event);
    if (text !== "" && text !== endMark) frames.push(parsedFrame(text));
  }
  return frames;
}

function dataOf(event: string): string {
  return event
    .split(/\r?\n/)
    .flatMap((line) => (line.startsWith("data:") ? [line.slice(5).trim()] : []))
    .join("\n");
}

function parsedFrame(text: string): JsonValue {
  try {
    return parseJson(Buffer.from(text));
  } catch (cause) {
    if (cause instanceof JsonSyntaxError) throw new ScoringError("a frame is not JSON", { cause });
    throw cause;
  }
}

function isTerminal(frame: JsonValue): boolean {
  const meta = metaInfoOf(frame);
  const reason = meta.get("finish_reason");
  return reason !== undefined && reason !== null;
}
