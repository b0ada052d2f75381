import assert from "node:assert/strict";
import type { ProcessingResponse } from "../../../../src/surface/ext-proc/processing-messages.ts";
import { bytesOf, setHeaders } from "../../../unit/surface/ext-proc/messages.ts";
import type { StreamRecord } from "./answer-claims.ts";
import { gathers, nameOf } from "./mode-names.ts";
import { edit, rewritten, targetMember } from "./planned-router.ts";
import type { StreamCase } from "./stream-case.ts";

/** What the core is shown of a request's body, and what the worker gets in its place. */
export function checkRequestBody(record: StreamRecord): void {
  const { plan, sent, requestBody, picks, answers } = record;
  const mode = nameOf(plan.requestMode);
  const body = sent.findLast((step) => step.does === "body");
  const isCut = mode === "partial" && body?.does === "body" && !body.end;
  const isShown = gathers(mode) && !isCut;
  assert.ok(picks[0]?.body.equals(isShown ? requestBody : Buffer.alloc(0)), "the core was shown the body");
  assert.equal(picks[0]?.hasPath, isShown);
  if (mode === "duplex") {
    const isBodiless = sent[0]?.does === "headers" && sent[0].end;
    assert.ok(
      streamedIn(answers, "request_body").equals(isBodiless ? Buffer.alloc(0) : changedRequest(plan, requestBody)),
    );
    return;
  }
  const answer = answers.find((each) => each.request_body !== undefined);
  const mutation = answer?.request_body?.response?.body_mutation;
  const isChanged = isShown && changesBody(plan);
  if (answer === undefined || !isChanged) {
    assert.equal(mutation, undefined, "a body that nobody changes is left alone");
    return;
  }
  const whole = changedRequest(plan, requestBody);
  assert.ok(mutation !== undefined && "body" in mutation && bytesOf(mutation.body).equals(whole), "the changed body");
  assert.equal(
    setHeaders(answer)["content-length"],
    String(whole.length),
    "Envoy refuses a whole body in another length",
  );
}

/** What the client gets in place of the worker's body. */
export function checkResponseBody({ plan, sent, responseBody, answers }: StreamRecord): void {
  const mode = nameOf(plan.responseMode);
  const head = sent.find((step) => step.does === "responseHeaders");
  if (head?.does !== "responseHeaders" || mode === "none") return;
  const isText = head.type !== "none" && head.encoding === undefined;
  const text = responseBody.toString("latin1");
  const wanted =
    isText && plan.pick.what === "rewrite" && isRewritten(plan, sent)
      ? text.replaceAll(targetMember, '"model":"asked"')
      : text;
  const pieces = sent.flatMap((step) => (step.does === "responseBody" ? [step.bytes] : []));
  const got = mode === "duplex" ? streamedIn(answers, "response_body") : piecewise(answers, responseBody, pieces);
  const gotText = got.toString("latin1");
  const isWhole = sent.some((step) => step.does === "responseBody" && step.end) || mode === "duplex" || !isText;
  if (isWhole) assert.equal(gotText, wanted);
  // Behind a body that was cut off, or without an end, the beginning of a member may be held for ever.
  else assert.ok(wanted.startsWith(gotText) && wanted.length - gotText.length < 2 * targetMember.length, gotText);
}

/** Whether the core could put another body in the request's place, or at least name the model. */
function isRewritten({ requestMode }: StreamCase, sent: StreamRecord["sent"]): boolean {
  const body = sent.findLast((step) => step.does === "body");
  const isCut = nameOf(requestMode) === "partial" && body?.does === "body" && !body.end;
  return gathers(nameOf(requestMode)) && !isCut;
}

/** Each piece as it is answered: in another form, or as it came. */
function piecewise(answers: readonly ProcessingResponse[], body: Buffer, pieces: readonly number[]): Buffer {
  let at = 0;
  const bodies = answers.filter((answer) => answer.response_body !== undefined);
  return Buffer.concat(
    bodies.map((answer, i) => {
      const piece = body.subarray(at, at + (pieces[i] ?? 0));
      at += piece.length;
      const mutation = answer.response_body?.response?.body_mutation;
      return mutation !== undefined && "body" in mutation ? bytesOf(mutation.body) : piece;
    }),
  );
}

function streamedIn(answers: readonly ProcessingResponse[], kind: "request_body" | "response_body"): Buffer {
  return Buffer.concat(
    answers.flatMap((answer) => {
      const mutation = answer[kind]?.response?.body_mutation;
      return mutation !== undefined && "streamed_response" in mutation
        ? [bytesOf(mutation.streamed_response.body)]
        : [];
    }),
  );
}

function changesBody({ pick }: StreamCase): boolean {
  return pick.what === "rewrite" || pick.what === "edit";
}

export function changedRequest({ pick }: StreamCase, body: Buffer): Buffer {
  if (pick.what === "rewrite") return rewritten;
  return pick.what === "edit" ? Buffer.concat([...edit.insert, body]) : body;
}
