import { parseRequest } from "../api/index.ts";
import type { Model } from "../model/index.ts";
import type { TokenizePrompt } from "../sim-worker/index.ts";

/** Tokens of a request's prompt by the pipeline that the picker uses; none where the request has no prompt of ours. */
export function promptTokenizer(model: Model): TokenizePrompt {
  return async (path, body) => {
    const { dialect } = model.profile;
    const engineOf = () => model.engine;
    const parsed = parseRequest(path, body, { dialect, engineOf, refuseUnknownShapes: false, maxDepth: 128 });
    if (parsed.api === "promptless") return new Uint32Array(0);
    const prompt = await model.tokenize(parsed);
    return prompt.batch ?? prompt.tokenIds;
  };
}
