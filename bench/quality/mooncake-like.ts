/**
 * Prints a trace for `pointsman replay`, ten minutes of made up traffic in the shape of Mooncake's published traces.
 * Run: node_modules/.bin/node bench/quality/mooncake-like.ts conversation|agents|reasoning [seed] > trace.jsonl
 * `conversation`: chats that grow, of which few begin alike; prompts of about 9,000 tokens, answers of 340. `agents`: calls that begin with one of
 * five long texts about tools, short chains of which some end at the first; prompts of about 9,000 tokens, answers of 180. `reasoning`: short
 * questions behind one of three texts, answers of 2,000 tokens: decoding is what takes the time.
 */
import { seededRandom } from "../../src/replay/index.ts";
import { weightedIndex } from "../../test/support/load/weighted-index.ts";
import { exponential } from "./exponential.ts";

const blockTokens = 512;
const lastMs = 600_000;

interface Shape {
  /** Beginnings that sessions share, by how often they come, and their blocks. */
  readonly beginnings: readonly (readonly [weight: number, blocks: number])[];
  readonly sessionsPerSecond: number;
  readonly meanTurns: number;
  readonly meanFirstTokens: number;
  readonly meanTurnTokens: number;
  readonly meanOutputTokens: number;
  readonly meanPauseMs: number;
}

const shapes: Readonly<Record<string, Shape>> = {
  conversation: {
    beginnings: [
      [6, 0],
      [3, 1],
      [1, 4],
    ],
    sessionsPerSecond: 1,
    meanTurns: 5,
    meanFirstTokens: 5_000,
    meanTurnTokens: 1_000,
    meanOutputTokens: 340,
    meanPauseMs: 30_000,
  },
  agents: {
    beginnings: [
      [8, 11],
      [4, 9],
      [2, 13],
      [1, 6],
      [2, 0],
    ],
    sessionsPerSecond: 4,
    meanTurns: 2,
    meanFirstTokens: 2_000,
    meanTurnTokens: 1_500,
    meanOutputTokens: 180,
    meanPauseMs: 5_000,
  },
  reasoning: {
    beginnings: [
      [5, 4],
      [3, 3],
      [2, 1],
    ],
    sessionsPerSecond: 1.5,
    meanTurns: 3,
    meanFirstTokens: 700,
    meanTurnTokens: 200,
    meanOutputTokens: 2_000,
    meanPauseMs: 15_000,
  },
};

interface Line {
  readonly timestamp: number;
  readonly input_length: number;
  readonly output_length: number;
  readonly hash_ids: readonly number[];
}

function linesOf(shape: Shape, seed: number): readonly Line[] {
  const random = seededRandom(seed);
  const about = (mean: number) => Math.ceil(exponential(random, 1 / mean));
  const lines: Line[] = [];
  let lastId = 1_000;
  for (let startMs = 0; startMs < lastMs; startMs += about(1_000 / shape.sessionsPerSecond)) {
    const kind = weightedIndex(
      shape.beginnings.map(([weight]) => weight),
      random,
    );
    const shared = shape.beginnings[kind]?.[1] ?? 0;
    const ids = Array.from({ length: shared }, (_, block) => 100 * kind + block);
    let tokens = shared * blockTokens + about(shape.meanFirstTokens);
    for (let atMs = startMs, turn = about(shape.meanTurns); turn > 0 && atMs < lastMs; turn--) {
      const complete = Math.floor(tokens / blockTokens);
      while (ids.length < complete) ids.push(++lastId);
      // What is left over is a block of its own: the next turn makes another of it.
      const rest = tokens % blockTokens === 0 ? [] : [++lastId];
      const output = about(shape.meanOutputTokens);
      lines.push({ timestamp: atMs, input_length: tokens, output_length: output, hash_ids: [...ids, ...rest] });
      tokens += output + about(shape.meanTurnTokens);
      atMs += 10 * output + about(shape.meanPauseMs);
    }
  }
  return lines.toSorted((a, b) => a.timestamp - b.timestamp);
}

const [name = "", seed = "1"] = process.argv.slice(2);
const shape = shapes[name];
if (shape === undefined) {
  process.stderr.write(`expected one of: ${Object.keys(shapes).join(", ")}\n`);
  process.exitCode = 1;
} else {
  for (const line of linesOf(shape, Number(seed))) process.stdout.write(`${JSON.stringify(line)}\n`);
}
