import type { Buffer } from "node:buffer";
import { skipValue, visitMembers, without } from "./member-walk.ts";

const OPEN_OBJECT = 0x7b;

/** A body of which an object was cut out unread. */
export interface LiftedObject {
  /** The body with an empty object in its place. */
  readonly rest: Buffer;
  /** Its text; whether that is JSON is for its reader to see. Undefined: there is none, and `rest` is the whole body. */
  readonly object: Buffer | undefined;
}

/**
 * Cuts out the object `outer.inner` of a body without making a value of what is in it, which may be of any size: somebody else reads it. Where it
 * stands twice, or no object is there, everything is left for the parser to judge.
 */
export function liftObject(body: Buffer, outer: string, inner: string): LiftedObject {
  const found: (readonly [start: number, end: number])[] = [];
  const takeInner = (key: string, at: number): number => {
    const end = skipValue(body, at);
    if (key === inner && body[at] === OPEN_OBJECT && end > 0) found.push([at, end]);
    return end;
  };
  visitMembers(body, 0, (key, at) =>
    key === outer && body[at] === OPEN_OBJECT ? visitMembers(body, at, takeInner) : skipValue(body, at),
  );
  const [only, ...others] = found;
  if (only === undefined || others.length > 0) return { rest: body, object: undefined };
  const [start, end] = only;
  return { rest: without(body, [start + 1, end - 1]), object: body.subarray(start, end) };
}
