import { rootMembers } from "../../../src/json/index.ts";
import { goCompact, goJson, goString, goStruct, hasFiniteNumbers } from "./go-json.ts";
import type { ProcessorVersion } from "./options.ts";

/** What of a request the processor itself writes and reads. */
export interface Internal {
  retry_count?: number;
  queue_id?: string;
  request_token?: string;
  request_queue_name?: string;
  result_queue_name?: string;
  transport_correlation_id?: string;
  labels?: Record<string, string>;
  enqueue_seq?: number;
  payload_ref?: string;
}

/** A member of a request queue, read. */
export interface QueuedRequest {
  readonly internal: Internal;
  readonly kind: string;
  readonly id: string;
  readonly created: number;
  /** Unix time in s. */
  readonly deadline: number;
  /** The body that the gateway gets. */
  readonly payload: string;
  readonly metadata: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly endpoint: string;
  readonly model: string | undefined;
  /** The names that the sender wrote beside the data; they route nothing. */
  readonly echoes: Readonly<Record<string, string | undefined>>;
  /** Told by a quota's gate; not kept over a retry. */
  classification?: "reserved" | "overflow";
}

/** The member cannot be decoded: it is gone, and nobody is told. */
export class DecodeError extends Error {
  override readonly name = "DecodeError";
}

const kinds = ["plain", "redis", "pubsub"];

/** Reads a member as that version does. Throws DecodeError. */
export function decodeMember(member: string, version: ProcessorVersion): QueuedRequest {
  const envelope = asObject(parse(member), "the envelope");
  const kind = envelope["request_kind"];
  if (typeof kind !== "string" || !kinds.includes(kind)) throw new DecodeError(`request_kind ${kind}`);
  const data = asObject(envelope["data"], "data");
  const internal = asObject(envelope["internal"] ?? {}, "internal") as Internal;
  return {
    internal: { ...internal },
    kind,
    id: textOf(data, "id"),
    created: wholeOf(data, "created"),
    deadline: wholeOf(data, "deadline"),
    payload: payloadOf(member, data["payload"], version),
    metadata: textsOf(data, "metadata"),
    headers: textsOf(data, "headers"),
    endpoint: textOf(data, "endpoint"),
    model: typeof data["model"] === "string" ? data["model"] : undefined,
    echoes: {
      request_queue_name: textOf(data, "request_queue_name") || undefined,
      result_queue_name: textOf(data, "result_queue_name") || undefined,
    },
  };
}

/** The member as the processor writes it back. */
export function encodeMember(request: QueuedRequest): string {
  const { internal, echoes, metadata, headers } = request;
  const data = goStruct({
    id: goString(request.id),
    created: `${request.created}`,
    deadline: `${request.deadline}`,
    payload: goCompact(request.payload),
    model: unlessEmpty(request.model),
    metadata: mapUnlessEmpty(metadata),
    headers: mapUnlessEmpty(headers),
    endpoint: unlessEmpty(request.endpoint),
    request_queue_name: unlessEmpty(echoes["request_queue_name"]),
    result_queue_name: unlessEmpty(echoes["result_queue_name"]),
  });
  return goStruct({ internal: encodeInternal(internal), request_kind: goString(request.kind), data });
}

function encodeInternal(internal: Internal): string {
  const { retry_count: retries = 0, enqueue_seq: seq = 0 } = internal;
  return goStruct({
    retry_count: retries === 0 ? undefined : `${retries}`,
    queue_id: unlessEmpty(internal.queue_id),
    request_token: unlessEmpty(internal.request_token),
    request_queue_name: unlessEmpty(internal.request_queue_name),
    result_queue_name: unlessEmpty(internal.result_queue_name),
    transport_correlation_id: unlessEmpty(internal.transport_correlation_id),
    labels: mapUnlessEmpty(internal.labels ?? {}),
    enqueue_seq: seq === 0 ? undefined : `${seq}`,
    payload_ref: unlessEmpty(internal.payload_ref),
  });
}

function unlessEmpty(text: string | undefined): string | undefined {
  return text === undefined || text === "" ? undefined : goString(text);
}

function mapUnlessEmpty(map: Readonly<Record<string, string>>): string | undefined {
  return Object.keys(map).length === 0 ? undefined : goJson(map);
}

/** Objects and lists within each other, from which on Go's decoder gives up. */
const maxDepth = 10_000;

function parse(member: string): unknown {
  if (depthOf(member) > maxDepth) throw new DecodeError("exceeded max depth");
  try {
    return JSON.parse(member);
  } catch (cause) {
    throw new DecodeError("not JSON", { cause });
  }
}

function depthOf(json: string): number {
  let depth = 0;
  let most = 0;
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[[{]|[\]}]/g)) {
    if (token === "[" || token === "{") most = Math.max(most, ++depth);
    else if (token === "]" || token === "}") depth--;
  }
  return most;
}

/** Up to v0.9 a map that is encoded anew, from v0.10 on the bytes as they came. */
function payloadOf(member: string, payload: unknown, version: ProcessorVersion): string {
  if (payload === undefined || payload === null) return "null";
  asObject(payload, "payload");
  if (version === "v0.10") return rawMember(rawMember(member, "data"), "payload");
  if (!hasFiniteNumbers(payload)) throw new DecodeError("payload has a number that no float holds");
  return goJson(payload);
}

function rawMember(json: string, name: string): string {
  const bytes = Buffer.from(json);
  const search = rootMembers(bytes, new Set([name]));
  for (;;) {
    const { done, value } = search.next();
    if (!done) continue;
    const span = value.get(name);
    return bytes.subarray(span?.start, span?.end).toString().trim();
  }
}

function asObject(value: unknown, what: string): Record<string, unknown> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new DecodeError(`${what} is no object`);
  return value as Record<string, unknown>;
}

function textOf(data: Record<string, unknown>, name: string): string {
  const value = data[name] ?? "";
  if (typeof value !== "string") throw new DecodeError(`${name} is no string`);
  return value;
}

function wholeOf(data: Record<string, unknown>, name: string): number {
  const value = data[name] ?? 0;
  if (!Number.isSafeInteger(value)) throw new DecodeError(`${name} is no whole number`);
  return value as number;
}

function textsOf(data: Record<string, unknown>, name: string): Record<string, string> {
  const map = asObject(data[name] ?? {}, name);
  for (const value of Object.values(map))
    if (typeof value !== "string") throw new DecodeError(`${name} is no map of strings`);
  return map as Record<string, string>;
}
