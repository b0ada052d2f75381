import type { Buffer } from "node:buffer";
import type { QueueEnvironment } from "./queue-environment.ts";
import { QueueError } from "./queue-error.ts";
import type { ResolvedQueueOptions } from "./queue-options.ts";
import type { QueueRequest } from "./queue-request.ts";

/** A request with what is drawn for it. */
export interface Submission {
  readonly id: string;
  readonly queue: string;
  /** A JSON object, without space around it. */
  readonly payload: Buffer;
  readonly endpoint: string;
  readonly metadata: Readonly<Record<string, string>> | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;
  /** 32 hexadecimal digits. */
  readonly token: string;
  /** Where its result goes. */
  readonly resultList: string;
  /** Unix time, s. */
  readonly created: number;
  /** Unix time, s. */
  readonly deadline: number;
}

/** Name of the list of an instance's results. The braces keep what belongs to it together. */
export function instanceList(prefix: string, instance: string): string {
  return `${prefix}{${instance}}`;
}

/** @throws QueueError `invalid_request` when the payload is no object; no more of it is looked at */
export function drawSubmission(
  request: QueueRequest,
  options: Pick<ResolvedQueueOptions, "defaultQueue" | "resultPrefix" | "resultLists" | "deadlineMarginMs">,
  instance: string,
  environment: Pick<QueueEnvironment, "uuid" | "token" | "wallMs">,
): Submission {
  const { defaultQueue, resultPrefix, resultLists, deadlineMarginMs } = options;
  const { id = environment.uuid(), queue = defaultQueue, endpoint, metadata, headers, timeoutMs } = request;
  const nowMs = environment.wallMs();
  const ownList = instanceList(resultPrefix, instance);
  return {
    id,
    queue,
    endpoint,
    metadata,
    headers,
    payload: objectText(request.payload),
    token: environment.token(),
    resultList: resultLists === "instance" ? ownList : `${ownList}:${id}`,
    created: Math.floor(nowMs / 1_000),
    deadline: Math.ceil((nowMs + Math.max(timeoutMs - deadlineMarginMs, 1)) / 1_000),
  };
}

/** Without the space around it. */
function objectText(payload: Buffer): Buffer {
  let start = 0;
  let end = payload.length;
  while (start < end && isSpace(payload[start])) start++;
  while (end > start && isSpace(payload[end - 1])) end--;
  if (end - start >= 2 && payload[start] === 0x7b && payload[end - 1] === 0x7d) return payload.subarray(start, end);
  throw new QueueError("the payload is no JSON object", { code: "invalid_request" });
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
