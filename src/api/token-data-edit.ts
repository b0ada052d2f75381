import { Buffer } from "node:buffer";
import { type BodyEdit, JsonObject, setMember } from "../json/index.ts";

const ZERO = 0x30;
const COMMA = 0x2c;
const OPEN = 0x5b;
const CLOSE = 0x5d;

/** Token ids to inject. */
export interface TokenData {
  readonly ids: () => Uint32Array;
  /** Each id in decimal after a comma, as in `,123,45`, in parts; absent = they are written here. */
  readonly decimals?: (() => readonly Buffer[]) | undefined;
}

/**
 * Puts tokens into `nvext.token_data` without touching another byte: in an `nvext` that is there, in place of one that is null,
 * or in a new one at the end of the body. O(tokens).
 * @param root parsed from `body`
 */
export function tokenDataEdit(body: Buffer, root: JsonObject, tokens: TokenData): BodyEdit {
  const envelope = root.get("nvext");
  if (envelope instanceof JsonObject) return setMember(body, envelope, "token_data", jsonOf(tokens, "", ""));
  return setMember(body, root, "nvext", jsonOf(tokens, '{"token_data":', "}"));
}

function jsonOf({ ids, decimals }: TokenData, before: string, after: string): Buffer | readonly Buffer[] {
  const [first, ...others] = decimals?.() ?? [];
  if (first === undefined) return jsonOfIds(ids(), before, after);
  return [Buffer.from(`${before}[`), first.subarray(1), ...others, Buffer.from(`]${after}`)];
}

/** A JSON array of the ids between two ASCII texts, digits written in place: a 64 KiB prompt has 16,000 of them. */
function jsonOfIds(tokenIds: Uint32Array, before: string, after: string): Buffer {
  const text = Buffer.allocUnsafe(before.length + after.length + 2 + arrayLength(tokenIds));
  let at = text.write(before, "latin1");
  text[at++] = OPEN;
  for (let index = 0; index < tokenIds.length; index++) {
    if (index > 0) text[at++] = COMMA;
    at = writeDigits(text, at, tokenIds[index] as number);
  }
  text[at++] = CLOSE;
  text.write(after, at, "latin1");
  return text;
}

/** Bytes between the brackets. */
function arrayLength(tokenIds: Uint32Array): number {
  let length = Math.max(0, tokenIds.length - 1);
  for (let index = 0; index < tokenIds.length; index++) length += digitsOf(tokenIds[index] as number);
  return length;
}

function digitsOf(id: number): number {
  let digits = 1;
  for (let bound = 10; id >= bound; bound *= 10) digits++;
  return digits;
}

/** Returns the position after the last digit. */
function writeDigits(text: Buffer, at: number, id: number): number {
  const end = at + digitsOf(id);
  let rest = id;
  for (let position = end - 1; position >= at; position--) {
    const quotient = Math.floor(rest / 10);
    text[position] = ZERO + rest - quotient * 10;
    rest = quotient;
  }
  return end;
}
