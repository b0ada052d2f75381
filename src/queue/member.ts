import { Buffer } from "node:buffer";
import { goString, goStringMap } from "./go-json.ts";
import type { Submission } from "./submission.ts";

/**
 * The member of the sorted set, in the order of fields of llm-d-async's Go structs. Source: llm-d-async v0.9 `api/internal_api.go`, `api/api.go`.
 * @returns in two parts, between which v0.10 puts its sequence number: `"enqueue_seq":` ends the first then
 */
export function memberParts(submission: Submission, hasSequence: boolean): readonly [head: Buffer, tail: Buffer] {
  const { token, queue, resultList, id, created, deadline, payload, metadata, headers, endpoint } = submission;
  const routing =
    `"request_token":${goString(token)},"request_queue_name":${goString(queue)},"result_queue_name":` +
    goString(resultList);
  const head = `{"internal":{${routing}${hasSequence ? ',"enqueue_seq":' : ""}`;
  const identity = `"id":${goString(id)},"created":${created},"deadline":${deadline}`;
  const before = `},"request_kind":"redis","data":{${identity},"payload":`;
  const after =
    mapMember("metadata", metadata) +
    mapMember("headers", headers) +
    `,"endpoint":${goString(endpoint)},"result_queue_name":${goString(resultList)}}}`;
  return [Buffer.from(head), Buffer.concat([Buffer.from(before), payload, Buffer.from(after)])];
}

/** Left out where it is empty, as Go does. */
function mapMember(name: string, map: Readonly<Record<string, string>> | undefined): string {
  return map === undefined || Object.keys(map).length === 0 ? "" : `,"${name}":${goStringMap(map)}`;
}
