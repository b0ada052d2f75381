import { JsonObject, type JsonValue } from "../../../json/index.ts";
import { isList } from "./declared-tools.ts";

/** A message, with the name of the tool where it is the result of a known call. */
export interface K3Message {
  readonly message: JsonObject;
  readonly role: string;
  readonly tool: string | undefined;
}

interface Call {
  readonly place: number;
  readonly name: string | undefined;
}

/**
 * The messages with each run of results in the order of the calls of the last answer, when all of them belong to it
 * (dynamo-renderer@8.0.3 kimi_k3.rs `normalize_tool_result_messages`).
 */
export function withOrderedResults(messages: readonly JsonObject[]): readonly K3Message[] {
  const ordered: K3Message[] = [];
  let calls: ReadonlyMap<string, Call> = new Map();
  let run: JsonObject[] = [];
  const flush = (): void => {
    ordered.push(...orderedRun(run, calls));
    run = [];
  };
  for (const message of messages) {
    const role = String(message.get("role"));
    if (role === "tool") {
      run.push(message);
      continue;
    }
    flush();
    if (role === "assistant") calls = callsById(message.get("tool_calls"));
    ordered.push({ message, role, tool: undefined });
  }
  flush();
  return ordered;
}

function orderedRun(run: readonly JsonObject[], calls: ReadonlyMap<string, Call>): readonly K3Message[] {
  const found = run.map((message) => ({ message, call: calls.get(String(message.get("tool_call_id"))) }));
  const isWhole = found.every(({ call }) => call !== undefined);
  const sorted = isWhole ? found.toSorted((a, b) => (a.call?.place ?? 0) - (b.call?.place ?? 0)) : found;
  return sorted.map(({ message, call }) => ({ message, role: "tool", tool: isWhole ? call?.name : undefined }));
}

/** Of calls with the same id the first counts. */
function callsById(calls: JsonValue | undefined): ReadonlyMap<string, Call> {
  const byId = new Map<string, Call>();
  for (const [place, call] of (isList(calls) ? calls : []).entries()) {
    const id = call instanceof JsonObject ? call.get("id") : undefined;
    if (typeof id === "string" && !byId.has(id)) byId.set(id, { place, name: callName(call) });
  }
  return byId;
}

/** Undefined for a call without one. */
export function callName(call: JsonValue | undefined): string | undefined {
  const target = call instanceof JsonObject ? call.get("function") : undefined;
  const name = target instanceof JsonObject ? target.get("name") : undefined;
  return typeof name === "string" ? name : undefined;
}
