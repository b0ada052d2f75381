import type { Buffer } from "node:buffer";
import { JsonObject, JsonSyntaxError, type JsonValue, parseJson, rootMembers } from "../json/index.ts";
import { clientPinsOf, pinsAtRoot, pinsInNvext } from "./extensions.ts";
import { type RequestApi, requestApiFromPath } from "./path.ts";

/** What is read of a request whose prompt is not: enough to place it by load. */
export interface RequestOutline {
  readonly api: RequestApi;
  readonly model: string | undefined;
  /** Names of body fields that choose a worker. */
  readonly clientPins: readonly string[];
  /** The members of the body that name its model and bear on the choice. */
  readonly root: JsonObject;
}

const rootNames: ReadonlySet<string> = new Set(["model", "nvext", ...pinsAtRoot]);
const nvextNames: ReadonlySet<string> = new Set([...pinsInNvext, "routing_constraints"]);
/** Values that choose are short; a longer one is not read. */
const maxValueBytes = 4096;

/**
 * Reads the outline of a body of any size, in steps of a tenth of a millisecond; nothing is refused. Of a body that is not JSON it tells nothing or
 * something that is not in it.
 * @param path as of `parseRequest`
 */
export function* outlineRequest(path: string | undefined, body: Buffer): Generator<void, RequestOutline> {
  const spans = yield* rootMembers(body, rootNames);
  const members: [string, JsonValue][] = [];
  for (const [name, { start, end }] of spans) {
    const value = name === "nvext" ? yield* envelope(body.subarray(start, end)) : shortValue(body.subarray(start, end));
    if (value !== undefined) members.push([name, value]);
  }
  const root = JsonObject.from(members);
  const model = root.get("model");
  return {
    api: requestApiFromPath(path) ?? "promptless",
    model: typeof model === "string" ? model : undefined,
    clientPins: clientPinsOf(root),
    root,
  };
}

/** The members of `nvext` that bear on the choice; a list is one that could hide them. */
function* envelope(text: Buffer): Generator<void, JsonValue | undefined> {
  const spans = yield* rootMembers(text, nvextNames);
  if (text.toString("latin1", 0, 64).trimStart().startsWith("[")) return [true];
  const members: [string, JsonValue][] = [];
  for (const [name, { start, end }] of spans) {
    const value = shortValue(text.subarray(start, end));
    if (value !== undefined) members.push([name, value]);
  }
  return JsonObject.from(members);
}

/** A value that is too long to be read still is one. */
function shortValue(text: Buffer): JsonValue | undefined {
  if (text.length > maxValueBytes) return true;
  try {
    return parseJson(text, { maxDepth: 16 });
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}
