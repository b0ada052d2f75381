import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const folder = join(import.meta.dirname, "..", "..", "node_modules", "@types", "node");

/** English and code: the documented declarations of @types/node, 2.4 MB. */
export function realText(): string {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".d.ts"));
  return files
    .sort()
    .map((file) => readFileSync(join(folder, file), "utf8"))
    .join("\n");
}

/** Slices of `units` each, from all over the text, none overlapping another. */
export function slices(text: string, count: number, units: number): readonly string[] {
  const step = Math.floor(text.length / count);
  if (step < units) throw new RangeError("not enough text");
  return Array.from({ length: count }, (_, index) => owned(text.slice(index * step, index * step + units)));
}

/** What a model's template puts around a message. */
export interface MessageFrame {
  readonly before: (role: string) => string;
  readonly after: string;
}

/** Pieces of a conversation that grows from 44 to 64 KB in 20 turns of a question and an answer, as a template emits them. */
export function* conversation(text: string, frame: MessageFrame): Generator<readonly string[]> {
  const pieces: string[] = [];
  let at = 0;
  const say = (role: string, units: number) => {
    pieces.push(frame.before(role), owned(text.slice(at, at + units)), frame.after);
    at += units;
  };
  say("system", 8_000);
  for (let message = 0; message < 36; message++) say(message % 2 === 0 ? "user" : "assistant", 1_000);
  for (let turn = 0; turn < 20; turn++) {
    say("user", 300);
    yield [...pieces, frame.before("assistant")];
    say("assistant", 700);
  }
}

/** A copy that owns its characters, as a message decoded from a body does; a slice would stand in for the whole text. */
function owned(text: string): string {
  return Buffer.from(text).toString();
}
