import type { PickAnswer } from "./pick-answer.ts";
import type { CommonResponse, ProcessingResponse } from "./processing-messages.ts";

/** A body, whole or empty, that does not exist. */
export const noBody: Buffer = Buffer.alloc(0);

/** The pick on the answer to the request's headers. */
export function headersAnswer(answer: PickAnswer): ProcessingResponse {
  return { request_headers: { response: pickResponse(answer) }, dynamic_metadata: answer.dynamicMetadata };
}

/** The part of a pick that headers and body answers share. The route is looked up again, with the destination known. */
export function pickResponse(answer: PickAnswer): CommonResponse {
  return { header_mutation: answer.headerMutation, clear_route_cache: true };
}
