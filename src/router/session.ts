import type { RequestHeaders } from "./route-request.ts";

/** The conversation that a request belongs to. */
export interface RouteSession {
  /** 1 to 256 characters. */
  readonly id: string;
  /** The client says that no further request follows. */
  readonly isFinal: boolean;
}

/** Longest session id that counts; a longer one is passed over. */
const maxIdLength = 256;

/**
 * Headers that name a session, the first that is there counts, and the header that names a part of it with a history of its
 * own (a sub-agent). Dynamo's; Claude Code's; Codex's; opencode's two; Codex without a thread; pi's.
 * Source: dynamo-llm@1.6.1 protocols/agents.rs for the first four, and what client programs were seen to send.
 */
const families: readonly { readonly session: string; readonly part?: string }[] = [
  { session: "x-dynamo-session-id" },
  { session: "x-claude-code-session-id", part: "x-claude-code-agent-id" },
  { session: "thread-id" },
  { session: "x-session-id" },
  { session: "x-session-affinity" },
  { session: "session-id" },
  { session: "session_id" },
];

const yes = new Set(["1", "true", "yes", "on"]);

/** The session that a request's headers name; undefined = none, or one whose id is too long. */
export function sessionOf(headers: RequestHeaders): RouteSession | undefined {
  for (const { session, part } of families) {
    const root = trimmed(headers, session);
    if (root === undefined) continue;
    const id = (part === undefined ? undefined : trimmed(headers, part)) ?? root;
    if (id.length > maxIdLength) return undefined;
    return { id, isFinal: yes.has(trimmed(headers, "x-dynamo-session-final")?.toLowerCase() ?? "") };
  }
  return undefined;
}

function trimmed(headers: RequestHeaders, name: string): string | undefined {
  const value = headers.get(name)?.trim();
  return value === "" ? undefined : value;
}
