import { Buffer } from "node:buffer";

/** A request body as a conversation makes them: every turn repeats the one before and adds to it. */
export interface Workload {
  readonly name: string;
  /** The body of a turn; turns of equal number give equal bytes. */
  body(turn: number): Buffer;
  /** What the time may be, as a multiple of `JSON.parse`. */
  readonly bar: number;
  /** The same on texts never seen before. */
  readonly firstSightBar: number;
}

const englishWords =
  "the of and to in is that for it as was with be by on not he this are or his from at which but have".split(" ");
const chineseWords = ["模型", "请求", "前缀", "缓存", "路由", "延迟", "一个", "我们", "可以", "因为"];

/** Park and Miller's generator: the same texts in every run. */
function generator(seed: number): () => number {
  let state = (seed * 7_919 + 1) % 2_147_483_647;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

function text(seed: number, bytes: number, words: readonly string[], lineWords: number): string {
  const random = generator(seed);
  const parts: string[] = [];
  for (let length = 0, count = 0; length < bytes; count++) {
    const word = words[Math.floor(random() * words.length)] ?? "";
    const gap = lineWords > 0 && count % lineWords === lineWords - 1 ? '\n\t"' : " ";
    parts.push(word, gap);
    length += Buffer.byteLength(word) + gap.length;
  }
  return parts.join("");
}

interface ChatShape {
  readonly bytes: number;
  readonly messages: number;
  readonly words?: readonly string[];
  /** Words a line of text, which ends in characters that JSON escapes; 0: no lines. */
  readonly lineWords?: number;
  readonly tools?: number;
}

/** The last message differs from turn to turn, the others are those of the conversation. */
function chat(shape: ChatShape, conversation: number, turn: number): Buffer {
  const { bytes, messages, words = englishWords, lineWords = 0, tools = 0 } = shape;
  const each = Math.max(16, Math.floor(bytes / messages) - 40);
  const list = Array.from({ length: messages }, (_, at) => {
    const seed = conversation * 1_000 + (at === messages - 1 ? 100_000 + turn : at);
    return { role: at % 2 === 0 ? "user" : "assistant", content: text(seed, each, words, lineWords) };
  });
  const body = { model: "m", stream: true, temperature: 0.7, max_tokens: 512, messages: list };
  return Buffer.from(JSON.stringify(tools > 0 ? { ...body, tools: toolList(tools, conversation) } : body));
}

function toolList(count: number, seed: number): object[] {
  return Array.from({ length: count }, (_, at) => ({
    type: "function",
    function: {
      name: `tool_${at}`,
      description: text(seed * 100 + at, 120, englishWords, 0),
      parameters: {
        type: "object",
        properties: Object.fromEntries(
          Array.from({ length: 6 }, (_, property) => [
            `argument_${property}`,
            {
              type: property % 2 === 0 ? "string" : "integer",
              description: text(seed * 10_000 + at * 10 + property, 50, englishWords, 0),
              ...(property === 3 ? { minimum: 0, maximum: 100, default: 1.5 } : {}),
            },
          ]),
        ),
        required: ["argument_0", "argument_1"],
        additionalProperties: false,
      },
    },
  }));
}

function workload(name: string, shape: ChatShape, bar: number, firstSightBar: number): Workload {
  return { name, bar, firstSightBar, body: (turn) => chat(shape, Math.floor(turn / 16), turn) };
}

const kib = 1_024;

export const workloads: readonly Workload[] = [
  workload("512 B", { bytes: 0.3 * kib, messages: 2 }, 4, 4),
  workload("1 KiB", { bytes: kib, messages: 3 }, 4, 4),
  workload("2 KiB", { bytes: 2 * kib, messages: 5 }, 3, 3),
  workload("8 KiB", { bytes: 8 * kib, messages: 11 }, 1.5, 2),
  workload("64 KiB", { bytes: 64 * kib, messages: 21 }, 1, 2),
  workload("64 KiB, 101 messages", { bytes: 64 * kib, messages: 101 }, 1, 2),
  workload("256 KiB", { bytes: 256 * kib, messages: 41 }, 1 / 3, 2),
  workload("64 KiB, 60 tools", { bytes: 20 * kib, messages: 5, tools: 60 }, 1.5, 2),
  workload("64 KiB, code (escapes)", { bytes: 64 * kib, messages: 21, lineWords: 6 }, 1, 2),
  workload("64 KiB, Chinese", { bytes: 64 * kib, messages: 21, words: chineseWords }, 1, 2),
];
