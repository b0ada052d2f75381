import { JsonNumber, JsonObject } from "../../json/index.ts";
import type { GenerationApi } from "../generation-request.ts";

/** Where the blocks of a prefilled prompt are. */
export interface RemoteBlocks {
  readonly host: string;
  readonly port: number;
  readonly requestId: string;
}

const limits: Readonly<Record<GenerationApi, string>> = {
  chat: "max_tokens",
  completions: "max_tokens",
  responses: "max_output_tokens",
  messages: "max_tokens",
};

/**
 * Whether a request is to be prefilled for another worker. Throws TypeError for one that vLLM would refuse, or whose blocks it would not keep:
 * it keeps them for a request that its limit of tokens ended.
 */
export function isForRemoteDecode(root: JsonObject, api: GenerationApi): boolean {
  if (paramsOf(root)?.get("do_remote_decode") !== true) return false;
  if (root.get("stream") === true) throw new TypeError("stream must be false for a prefill");
  if (root.get("stream_options") !== undefined && root.get("stream_options") !== null) {
    throw new TypeError("stream options can only be defined when stream is true");
  }
  const limit = root.get(limits[api]) ?? (api === "chat" ? root.get("max_completion_tokens") : undefined);
  if (numberOf(limit) !== 1) throw new TypeError(`${limits[api]} must be 1 for a prefill`);
  if ((numberOf(root.get("min_tokens")) ?? 0) > 1) throw new TypeError("min_tokens must not be above max_tokens");
  if ((numberOf(root.get("n")) ?? 1) !== 1) throw new TypeError("n must be 1 for a prefill");
  return true;
}

/** Where to fetch the prompt's blocks; undefined = they are computed here. Throws TypeError for parameters that are not whole. */
export function remoteBlocks(root: JsonObject): RemoteBlocks | undefined {
  const params = paramsOf(root);
  if (params?.get("do_remote_prefill") !== true) return undefined;
  const [host, requestId, engine] = ["remote_host", "remote_request_id", "remote_engine_id"].map((name) => {
    const value = params.get(name);
    if (typeof value !== "string") throw new TypeError(`kv_transfer_params.${name} must be a string`);
    return value;
  });
  const port = numberOf(params.get("remote_port"));
  if (port === undefined || host === undefined || requestId === undefined || engine === undefined) {
    throw new TypeError("kv_transfer_params.remote_port must be a number");
  }
  if (!Array.isArray(params.get("remote_block_ids")))
    throw new TypeError("kv_transfer_params.remote_block_ids is missing");
  return { host, port, requestId };
}

function paramsOf(root: JsonObject): JsonObject | undefined {
  const params = root.get("kv_transfer_params");
  return params instanceof JsonObject ? params : undefined;
}

function numberOf(value: unknown): number | undefined {
  return value instanceof JsonNumber ? value.toNumber() : undefined;
}
