import { type ByteSpan, parseJson, rootMembers } from "../../json/index.ts";

const names: ReadonlySet<string> = new Set(["previous_response_id"]);
const key = Buffer.from("previous_response_id");
const maxIdBytes = 1_024;
const bytesAtOnce = 524_288;

/**
 * The answer that a request of the Responses API goes on from; undefined = none is named. Reads no more than it must: the whole body is
 * checked later. At once for bodies that take less than a millisecond, else in steps between other work.
 */
export function previousResponseId(body: Buffer): string | undefined | Promise<string | undefined> {
  // A key may be written with escapes, but no client does.
  if (!body.includes(key)) return undefined;
  const steps = rootMembers(body, names);
  if (body.length > bytesAtOnce) return inSteps(steps, body);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return idAt(step.value.get("previous_response_id"), body);
}

async function inSteps(steps: ReturnType<typeof rootMembers>, body: Buffer): Promise<string | undefined> {
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) await new Promise((resolve) => setImmediate(resolve));
  return idAt(step.value.get("previous_response_id"), body);
}

function idAt(span: ByteSpan | undefined, body: Buffer): string | undefined {
  if (span === undefined || span.end - span.start > maxIdBytes) return undefined;
  try {
    const id = parseJson(body.subarray(span.start, span.end));
    return typeof id === "string" && id !== "" ? id : undefined;
  } catch {
    return undefined;
  }
}
