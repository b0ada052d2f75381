import { Buffer } from "node:buffer";
import { JsonSyntaxError } from "./json-syntax-error.ts";
import { type RootMember, spaceEnd, spaceStart } from "./root-members.ts";

const COMMA = 0x2c;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** Members to set, by key, as JSON in UTF-8; undefined = the member is taken out. */
export type RootChanges = ReadonlyMap<string, Buffer | undefined>;

/** Bytes [start, end) that give way to others. */
interface Replacement {
  readonly start: number;
  readonly end: number;
  /** Undefined: a member goes, with a comma. */
  readonly by: Buffer | undefined;
}

/**
 * The body with some members of its outermost object set or taken out, and no other byte touched. Of a repeated key the last is set, which is
 * the one that counts, and every one is taken out. New members come last, right before the closing brace. A copy.
 * @param members every occurrence of the keys that are changed, in order, as `rootMemberList` finds them
 * @throws JsonSyntaxError when the body is no object
 */
export function editRoot(body: Buffer, members: readonly RootMember[], changes: RootChanges): Buffer {
  const open = spaceEnd(body, 0);
  const close = spaceStart(body, body.length) - 1;
  if (body[open] !== OPEN_OBJECT || body[close] !== CLOSE_OBJECT || open >= close) {
    throw new JsonSyntaxError("expected a JSON object", Math.min(open, body.length));
  }
  const parts = keptParts(body, close, replacementsOf(body, members, changes));
  let isEmpty = parts.every((part, i) => spaceEnd(part, i === 0 ? open + 1 : 0) >= part.length);
  const known = new Set(members.map(({ name }) => name));
  for (const [name, value] of changes) {
    if (value === undefined || known.has(name)) continue;
    parts.push(Buffer.from(`${isEmpty ? "" : ","}${JSON.stringify(name)}:`), value);
    isEmpty = false;
  }
  parts.push(body.subarray(close));
  return Buffer.concat(parts);
}

/** What stands before the closing brace. */
function keptParts(body: Buffer, close: number, replacements: readonly Replacement[]): Buffer[] {
  const parts: Buffer[] = [];
  let at = 0;
  for (const { start, end, by } of replacements) {
    parts.push(body.subarray(at, start));
    if (by !== undefined) parts.push(by);
    at = end;
  }
  parts.push(body.subarray(at, close));
  return parts;
}

function replacementsOf(body: Buffer, members: readonly RootMember[], changes: RootChanges): readonly Replacement[] {
  const lastOf = new Map(members.map((member) => [member.name, member]));
  const found: Replacement[] = [];
  for (const member of members) {
    if (!changes.has(member.name)) continue;
    const by = changes.get(member.name);
    if (by !== undefined && lastOf.get(member.name) !== member) continue;
    found.push(by === undefined ? removalOf(body, member) : { ...member.value, by });
  }
  return withoutLastComma(body, found);
}

/** With the comma behind it, if there is one. */
function removalOf(body: Buffer, { keyStart, value }: RootMember): Replacement {
  const next = spaceEnd(body, value.end);
  return { start: keyStart, end: body[next] === COMMA ? next + 1 : value.end, by: undefined };
}

/** Where the last member of the object goes, so does the comma before it. */
function withoutLastComma(body: Buffer, found: Replacement[]): readonly Replacement[] {
  const last = found.at(-1);
  if (last === undefined || last.by !== undefined || body[last.end - 1] === COMMA) return found;
  found.pop();
  let first = last.start;
  for (
    let before = found.at(-1);
    before !== undefined && before.by === undefined && before.end === spaceStart(body, first);
    before = found.at(-1)
  ) {
    first = before.start;
    found.pop();
  }
  const start = spaceStart(body, first);
  found.push({ start: body[start - 1] === COMMA ? start - 1 : first, end: last.end, by: undefined });
  return found;
}
