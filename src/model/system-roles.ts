import type { JsonValue } from "../json/index.ts";
import { isList, type Message, plainMessage, textPart, withMembers, withoutMember } from "./messages.ts";

/** What a template needs of system messages. */
export interface SystemRules {
  /** It raises on a system message that does not come first: such ones become user messages. */
  readonly demotes: boolean;
  /** It raises on two user messages in a row: they are merged. */
  readonly coalesces: boolean;
}

const system = plainMessage("system", "System");
const user = plainMessage("user", "User");
const assistant = plainMessage("assistant", "Assistant");

/**
 * Probes a template (dynamo-renderer@8.0.3): one that cannot render a plain pair is left alone.
 * @param renders whether the messages render without an error
 */
export function probeSystemRules(renders: (messages: readonly Message[]) => boolean): SystemRules {
  if (!renders([system, user])) return { demotes: false, coalesces: false };
  const takesLate = renders([system, user, system]) && renders([system, user, assistant, system, user]);
  return { demotes: !takesLate, coalesces: !renders([system, user, user]) };
}

/** Applies what the template needs. */
export function normalizeSystem(messages: readonly Message[], rules: SystemRules): readonly Message[] {
  const demoted = rules.demotes ? demoteLate(messages) : messages;
  return rules.coalesces ? coalesceUsers(demoted) : demoted;
}

/** A leading run of system messages becomes one; later ones become user messages. */
function demoteLate(messages: readonly Message[]): readonly Message[] {
  const firstOther = messages.findIndex((message) => message.get("role") !== "system");
  const leading = firstOther === -1 ? messages.length : firstOther;
  const head = messages.slice(0, leading);
  const rest = messages.slice(leading);
  return [
    ...(head.length === 0 ? [] : [head.reduce(merged)]),
    ...rest.map((message) => (message.get("role") === "system" ? withMembers(message, { role: "user" }) : message)),
  ];
}

function coalesceUsers(messages: readonly Message[]): readonly Message[] {
  const result: Message[] = [];
  for (const message of messages) {
    const last = result.at(-1);
    const isRun = last?.get("role") === "user" && message.get("role") === "user";
    if (last !== undefined && isRun) result[result.length - 1] = merged(last, message);
    else result.push(message);
  }
  return result;
}

function merged(first: Message, second: Message): Message {
  const content = mergedContent(first.get("content"), second.get("content")) ?? null;
  return withMembers(withoutMember(first, "content"), { content });
}

/** Texts are joined by a blank line, lists of parts are put together; a text beside a list becomes a part. Empty texts add nothing. */
function mergedContent(first: JsonValue | undefined, second: JsonValue | undefined): JsonValue | undefined {
  if (typeof first === "string" && typeof second === "string") {
    return first === "" || second === "" ? first + second : `${first}\n\n${second}`;
  }
  if (first === undefined || first === null) return second;
  if (second === undefined || second === null) return first;
  return [...partsOf(first), ...partsOf(second)];
}

function partsOf(content: JsonValue): readonly JsonValue[] {
  if (isList(content)) return content;
  if (typeof content === "string") return content === "" ? [] : [textPart(content)];
  return [content];
}
