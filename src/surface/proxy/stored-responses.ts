import { parseJson, rootMembers } from "../../json/index.ts";

const names: ReadonlySet<string> = new Set(["previous_response_id"]);
const key = Buffer.from("previous_response_id");
const maxIdBytes = 1_024;

/**
 * The answer that a request of the Responses API goes on from; undefined = none is named. Reads no more than it must: the whole body is
 * checked later.
 */
export function previousResponseId(body: Buffer): string | undefined {
  // A key may be written with escapes, but no client does.
  if (!body.includes(key)) return undefined;
  const steps = rootMembers(body, names);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  const span = step.value.get("previous_response_id");
  if (span === undefined || span.end - span.start > maxIdBytes) return undefined;
  try {
    const id = parseJson(body.subarray(span.start, span.end));
    return typeof id === "string" && id !== "" ? id : undefined;
  } catch {
    return undefined;
  }
}
