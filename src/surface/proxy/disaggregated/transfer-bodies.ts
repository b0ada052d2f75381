import { Buffer } from "node:buffer";
import type { StreamFormat } from "../../../http/index.ts";
import { editRoot } from "../../../json/index.ts";
import type { RequestOutline } from "./request-outline.ts";

/** What the prefill worker of vLLM's connectors is asked beside its transfer parameters. */
export interface PrefillRules {
  /** As JSON; undefined = the request has none. */
  readonly params: Buffer | undefined;
  /** Whether a stop word or an end token may not end it early. */
  readonly forbidsStop: boolean;
}

const one = Buffer.from("1");

/**
 * The body by which a vLLM worker prefills: the request with one token of output, and as no stream.
 * Source: vLLM's proxies for disaggregated prefilling; `min_tokens` would contradict the one token.
 */
export function prefillBody(
  body: Buffer,
  outline: RequestOutline,
  format: StreamFormat,
  { params, forbidsStop }: PrefillRules,
): Buffer {
  const has = (name: string) => outline.members.some((member) => member.name === name);
  const changes = new Map<string, Buffer | undefined>([
    ["stream", Buffer.from("false")],
    ["stream_options", undefined],
    ["min_tokens", undefined],
    ["kv_transfer_params", params],
  ]);
  if (format === "responses") changes.set("max_output_tokens", one);
  else if (format === "chat" && has("max_completion_tokens")) {
    changes.set("max_completion_tokens", one);
    changes.set("max_tokens", undefined);
  } else changes.set("max_tokens", one);
  if (has("n")) changes.set("n", one);
  if (forbidsStop) {
    changes.set("ignore_eos", Buffer.from("true"));
    changes.set("stop", undefined);
  }
  return editRoot(body, outline.members, changes);
}

/** The request with its transfer parameters; without any, those of the client go: they are between the workers. */
export function decodeBody(body: Buffer, outline: RequestOutline, params: Buffer | undefined): Buffer {
  return editRoot(body, outline.members, new Map([["kv_transfer_params", params]]));
}
