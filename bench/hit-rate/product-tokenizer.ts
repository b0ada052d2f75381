import { parseRequest } from "../../src/api/index.ts";
import { readModelFolder } from "../../src/config/index.ts";
import { Model, profileByName } from "../../src/model/index.ts";
import type { TokenizePrompt } from "../../src/sim-worker/index.ts";

/** Makes the tokens that the picker makes, for the requests that reach a worker without them. */
export async function productTokenizer(folder: string, blockSize: number): Promise<TokenizePrompt> {
  const profile = profileByName("dynamo");
  const model = await Model.load({ name: "bench", profile, blockSize }, await readModelFolder(folder));
  return async (path, body) => {
    const parsed = parseRequest(path, body, { dialect: profile.dialect, refuseUnknownShapes: false, maxDepth: 128 });
    if (parsed.api === "promptless") throw new Error(parsed.reason);
    return (await model.tokenize(parsed)).tokenIds;
  };
}
