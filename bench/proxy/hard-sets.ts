import { prose, seededRandom } from "../../test/support/load/index.ts";

/** One turn of a session, as it is sent. */
export interface SetRequest {
  readonly session: number;
  readonly path: string;
  readonly body: string;
}

/** Requests that make it hard to find what is cached. */
export interface HardSet {
  readonly name: string;
  readonly requests: readonly SetRequest[];
  /** Whether a worker is restarted in the middle. */
  readonly restarts: boolean;
}

const sessions = 48;
const turns = 8;

/** @param salt other text for another number: no router knows what it was sent before */
export function hardSets(salt: number): readonly HardSet[] {
  return [
    { name: "shared system prompt", requests: interleaved((session) => chats(session, salt)), restarts: false },
    { name: "tool-calling agents", requests: interleaved((session) => agents(session, salt + 1)), restarts: false },
    { name: "restarts", requests: interleaved((session) => chats(session, salt + 2)), restarts: true },
  ];
}

function text(bytes: number, ...seed: readonly number[]): string {
  return prose(bytes, seededRandom(seed.reduce((sum, part) => sum * 1_009 + part, 7))).slice(0, bytes);
}

/** All speak in turns, in an order of chance, each turn after the one before. */
function interleaved(make: (session: number) => readonly SetRequest[]): readonly SetRequest[] {
  const random = seededRandom(5);
  const left = Array.from({ length: sessions }, (_, session) => [...make(session)]);
  const requests: SetRequest[] = [];
  while (requests.length < sessions * turns) {
    const next = left[Math.floor(random() * sessions)]?.shift();
    if (next !== undefined) requests.push(next);
  }
  return requests;
}

/** One system prompt for everybody, and conversations that grow. */
function chats(session: number, salt: number): readonly SetRequest[] {
  const messages: object[] = [{ role: "system", content: text(4_096, salt) }];
  return Array.from({ length: turns }, (_, turn) => {
    messages.push({ role: "user", content: text(700, salt, session, turn) });
    const body = JSON.stringify({ model: "qwen3", messages });
    messages.push({ role: "assistant", content: text(300, salt, session, turn, 1) });
    return { session, path: "/v1/chat/completions", body };
  });
}

/** As Claude Code works: a line that bills in front, tools, and turns that are results of tools and nothing else. */
function agents(session: number, salt: number): readonly SetRequest[] {
  const kind = session % 4;
  const tools = Array.from({ length: 8 }, (_, at) => ({
    name: `tool_${kind}_${at}`,
    description: text(500, salt, kind, at),
    input_schema: { type: "object", properties: { path: { type: "string" } } },
  }));
  const messages: object[] = [{ role: "user", content: [{ type: "text", text: text(200, salt, session) }] }];
  return Array.from({ length: turns }, (_, turn) => {
    const billing = `x-anthropic-billing-header: cc_version=2; cch=${session.toString(16)}${turn.toString(16)}${salt};`;
    const system = [billing, text(3_000, salt, 99)].map((each) => ({ type: "text", text: each }));
    const body = JSON.stringify({ model: "qwen3", max_tokens: 16, system, tools, messages });
    const id = `toolu_${session}_${turn}`;
    messages.push({
      role: "assistant",
      content: [{ type: "tool_use", id, name: `tool_${kind}_0`, input: { path: text(40, salt, session, turn) } }],
    });
    messages.push({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: id, content: text(900, salt, session, turn, 2) }],
    });
    return { session, path: "/v1/messages", body };
  });
}
