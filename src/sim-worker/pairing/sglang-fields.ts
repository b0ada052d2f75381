import { JsonNumber, JsonObject, type JsonValue } from "../../json/index.ts";
import type { GenerationApi } from "../generation-request.ts";

/** Where the two workers of a request meet. */
export interface BootstrapPlace {
  readonly host: string;
  /** Undefined = the field is null. */
  readonly port: number | undefined;
  /** Decimal. */
  readonly room: string;
}

/**
 * The meeting places of a request, one for each sequence, as strictly as SGLang reads them: a batch has arrays, a single sequence has none.
 * Throws TypeError naming the field.
 */
export function bootstrapPlaces(root: JsonObject, api: GenerationApi): readonly BootstrapPlace[] {
  if (root.get("bootstrap_room") === undefined || root.get("bootstrap_room") === null) {
    throw new TypeError("Disaggregated request received without bootstrap room id");
  }
  const count = sequencesOf(root, api);
  const rooms = each(root, "bootstrap_room", count).map(roomOf);
  const hosts = each(root, "bootstrap_host", count).map(hostOf);
  const ports = each(root, "bootstrap_port", count).map(portOf);
  if (new Set(rooms).size < rooms.length) throw new TypeError("bootstrap_room: two sequences cannot share a room");
  return rooms.map((room, i) => ({ room, host: hosts[i] ?? "", port: ports[i] }));
}

/** Undefined = the request is no batch. */
function sequencesOf(root: JsonObject, api: GenerationApi): number | undefined {
  const n = root.get("n");
  const answers = n instanceof JsonNumber && n.toNumber() > 1 ? n.toNumber() : 1;
  const prompt = api === "completions" ? root.get("prompt") : undefined;
  const isBatch = Array.isArray(prompt) && !(prompt[0] instanceof JsonNumber);
  if (!isBatch && answers === 1) return undefined;
  return (isBatch ? prompt.length : 1) * answers;
}

function each(root: JsonObject, name: string, count: number | undefined): readonly JsonValue[] {
  const value = root.get(name);
  if (value === undefined) throw new TypeError(`${name} is missing`);
  const isList = Array.isArray(value);
  if (isList !== (count !== undefined)) throw new TypeError(`${name} must ${isList ? "not " : ""}be an array`);
  if (!isList) return [value];
  if (value.length !== count) throw new TypeError(`${name} must have ${count} items`);
  return value;
}

function roomOf(value: JsonValue): string {
  if (!(value instanceof JsonNumber) || !value.isInteger) throw new TypeError("bootstrap_room must be an integer");
  const room = value.toBigInt();
  if (room < 0n || room >= 2n ** 63n) throw new TypeError("bootstrap_room must be in [0, 2^63)");
  return room.toString();
}

function hostOf(value: JsonValue): string {
  if (typeof value !== "string" || value === "") throw new TypeError("bootstrap_host must be a string");
  return value;
}

function portOf(value: JsonValue): number | undefined {
  if (value === null) return undefined;
  if (!(value instanceof JsonNumber) || !value.isInteger)
    throw new TypeError("bootstrap_port must be an integer or null");
  return value.toNumber();
}

/** The members of a body. Throws TypeError when it is no object. */
export function rootOf(value: JsonValue): JsonObject {
  if (!(value instanceof JsonObject)) throw new TypeError("the body must be a JSON object");
  return value;
}
