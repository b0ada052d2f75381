import assert from "node:assert/strict";
import type { ProcessingResponse } from "../../../../src/surface/ext-proc/processing-messages.ts";
import { bytesOf, setHeaders } from "../../../unit/surface/ext-proc/messages.ts";
import { changedRequest, checkRequestBody, checkResponseBody } from "./body-claims.ts";
import { gathers, nameOf } from "./mode-names.ts";
import { type AskedPick, endpoint } from "./planned-router.ts";
import { allowedEndpoints, maxBodyBytes, type Step, type StreamCase } from "./stream-case.ts";

/** What passed on one stream, as the gateway saw it. */
export interface StreamRecord {
  readonly plan: StreamCase;
  /** Steps that were sent. */
  readonly sent: readonly Step[];
  /** Bytes of all body messages of the request that were sent, in order. */
  readonly requestBody: Buffer;
  readonly responseBody: Buffer;
  readonly answers: readonly ProcessingResponse[];
  readonly status: number | undefined;
  /** Bodies that the core was shown. */
  readonly picks: readonly Pick<AskedPick, "body" | "hasPath" | "subset">[];
}

const destinationHeader = "x-gateway-destination-endpoint";

type Kind = Exclude<keyof ProcessingResponse, "dynamic_metadata">;

const kindOfStep: Partial<Record<Step["does"], Kind>> = {
  headers: "request_headers",
  body: "request_body",
  trailers: "request_trailers",
  responseHeaders: "response_headers",
  responseBody: "response_body",
  responseTrailers: "response_trailers",
};

function kindOf(answer: ProcessingResponse): Kind {
  // `response` names the kind: what protobuf calls a oneof.
  const kinds = Object.keys(answer).filter((key) => key !== "dynamic_metadata" && key !== "response");
  assert.equal(kinds.length, 1, `an answer of one kind, got ${kinds.join()}`);
  return kinds[0] as Kind;
}

export function isBroken(step: Step): boolean {
  return ["garbage", "compressed", "tooLong", "half"].includes(step.does);
}

/** What holds on every stream, whatever the gateway has sent. */
export function checkAnyStream(record: StreamRecord): void {
  const { answers, sent, plan } = record;
  const kinds = answers.map(kindOf);
  const refusedAt = kinds.indexOf("immediate_response");
  if (refusedAt >= 0) {
    assert.equal(refusedAt, kinds.length - 1, `nothing is answered after a refusal: ${kinds.join()}`);
    const code = answers[refusedAt]?.immediate_response?.status.code ?? 0;
    assert.ok([400, 413, 500, 503, 504].includes(code), `a refusal of ${code}`);
    if (code === 500) assert.equal(plan.pick.what, "fault");
  }
  assert.ok(record.picks.length <= 1, "a request is placed once");
  if (!sent.some(isBroken)) for (const kind of Object.values(kindOfStep)) checkCount(kind, record, kinds);
  checkOrder(sent, kinds);
  checkStatus(record);
}

/** One answer a message; of a streamed body, pieces that make up no more than it. */
function checkCount(kind: Kind, { sent, answers, plan, requestBody, responseBody }: StreamRecord, kinds: Kind[]): void {
  const asked = sent.filter(({ does }) => kindOfStep[does] === kind).length;
  const count = kinds.filter((each) => each === kind).length;
  const isBody = kind === "request_body" || kind === "response_body";
  const streamed = answers.flatMap((answer) => {
    const mutation = isBody ? answer[kind]?.response?.body_mutation : undefined;
    return mutation !== undefined && "streamed_response" in mutation ? [mutation.streamed_response] : [];
  });
  if (streamed.length === 0) {
    assert.ok(count <= asked, `${count} answers to ${asked} ${kind}`);
    return;
  }
  // Pieces without their headers are let pass, as they come.
  if (kind === "request_body" && sent[0]?.does !== "headers") return;
  assert.equal(streamed.length, count, "a body is streamed or it is not");
  const bytes = Buffer.concat(streamed.map(({ body }) => bytesOf(body)));
  if (kind === "request_body") {
    const ends = streamed.filter(({ end_of_stream: isEnd }) => isEnd).length;
    assert.ok(ends <= 1, "a body ends once");
    if (plan.pick.what === "pick") assert.ok(requestBody.includes(bytes), "the bytes of the body");
  } else if (plan.pick.what !== "rewrite") assert.ok(bytes.equals(responseBody.subarray(0, bytes.length)));
}

/** The headers are answered before what follows them, if the stream began with them. */
function checkOrder(sent: readonly Step[], kinds: readonly Kind[]): void {
  if (sent[0]?.does !== "headers") return;
  for (const side of ["request", "response"] as const) {
    const headers = `${side}_headers` as const;
    const first = sent.find(({ does }) => kindOfStep[does]?.startsWith(side));
    if (first === undefined || kindOfStep[first.does] !== headers) continue;
    const at = kinds.indexOf(headers);
    const other = kinds.findIndex((kind) => kind.startsWith(side) && kind !== headers);
    assert.ok(other < 0 || (at >= 0 && at < other), `${side} answers in order: ${kinds.join()}`);
  }
}

function checkStatus({ sent, status, plan, answers }: StreamRecord): void {
  // Whoever resets a stream gets no status.
  if (plan.end !== "halfClose" && status === undefined) return;
  const isRefused = answers.some((answer) => answer.immediate_response !== undefined);
  if (isRefused || !sent.some(isBroken)) assert.equal(status, 0);
  else assert.ok([0, 8, 12, 13].includes(status ?? -1), `status ${status}`);
}

/** What an order that Envoy sends is answered by: a second reading of docs/ext-proc.md. */
export function checkLegalStream(record: StreamRecord): void {
  const { plan, sent } = record;
  const expected = expectedKinds(record);
  const kinds = record.answers.map(kindOf);
  assert.deepEqual(withoutRuns(kinds), withoutRuns(expected));
  if (expected.includes("immediate_response")) return;
  const placed = record.answers.filter(isPlacement);
  assert.equal(placed.length, 1, "the destination is told once");
  assert.equal(kindOf(placed[0] as ProcessingResponse), placedOn(plan, sent));
  checkRequestBody(record);
  checkResponseBody(record);
  assert.deepEqual(record.picks[0]?.subset, subsetOf(sent[0]), "the endpoints that the gateway allows");
}

/** As the first message tells: nothing, a list or a text. */
function subsetOf(first: Step | undefined): readonly string[] | undefined {
  const hint = first?.does === "headers" ? first.subset : undefined;
  if (hint === undefined) return undefined;
  return hint === "none" ? [] : allowedEndpoints;
}

/** Whether it tells the destination: by a header, where the protocol lets it set one, and by metadata. */
export function isPlacement(answer: ProcessingResponse): boolean {
  const told = answer.dynamic_metadata?.fields?.["envoy.lb"]?.structValue?.fields?.[destinationHeader]?.stringValue;
  if (told === undefined) return false;
  assert.equal(told, endpoint);
  if (kindOf(answer) !== "request_trailers") assert.equal(setHeaders(answer)[destinationHeader], endpoint);
  return true;
}

function isTooLarge({ plan, requestBody, sent }: StreamRecord): "headers" | "body" | undefined {
  if (!gathers(nameOf(plan.requestMode))) return undefined;
  const first = sent[0];
  const told = first?.does === "headers" ? (first.length ?? 0) : 0;
  if (told > maxBodyBytes) return "headers";
  return requestBody.length > maxBodyBytes ? "body" : undefined;
}

function placedOn({ requestMode }: StreamCase, sent: readonly Step[]): Kind {
  const mode = nameOf(requestMode);
  const isBuffered = mode === "buffered" || mode === "partial";
  if (!isBuffered) return "request_headers";
  const [headers, next] = sent;
  if (headers?.does === "headers" && headers.end) return "request_headers";
  return next?.does === "body" ? "request_body" : "request_trailers";
}

function expectedKinds(record: StreamRecord): readonly Kind[] {
  const { plan, sent } = record;
  const mode = nameOf(plan.requestMode);
  const tooLarge = isTooLarge(record);
  const isRefused = tooLarge !== undefined || plan.pick.what === "refuse" || plan.pick.what === "fault";
  const isBuffered = mode === "buffered" || mode === "partial";
  if (isRefused) {
    const isAnsweredBefore = isBuffered && tooLarge !== "headers" && placedOn(plan, sent) !== "request_headers";
    return [...(isAnsweredBefore ? (["request_headers"] as const) : []), "immediate_response"];
  }
  const kinds = sent.flatMap(({ does }) => kindOfStep[does] ?? []);
  if (mode !== "duplex" || !kinds.includes("request_trailers")) return kinds;
  // Before trailers a body is streamed if there is any, whether or not the client has sent one.
  const others = kinds.filter((kind) => kind !== "request_body");
  if (changedRequest(plan, record.requestBody).length === 0) return others;
  return [...others.slice(0, 1), "request_body", ...others.slice(1)];
}

function withoutRuns(kinds: readonly Kind[]): readonly Kind[] {
  return kinds.filter((kind, at) => kind !== kinds[at - 1] || !kind.endsWith("body"));
}
