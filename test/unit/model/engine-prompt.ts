import { parseRequest } from "../../../src/api/index.ts";
import { RoutingError } from "../../../src/errors/index.ts";
import { Model, type ModelFiles, type ProfileName, profileByName } from "../../../src/model/index.ts";
import { modelFiles } from "./model-folder.ts";

export type Engine = Exclude<ProfileName, "dynamo">;

export interface EngineModel {
  readonly profile: Engine;
  readonly template: string;
  readonly reasoningParser?: string;
  /** Variables that the engine is given. */
  readonly templateArgs?: Readonly<Record<string, string | number | boolean | null>>;
  /** The engine's release. */
  readonly engineVersion?: string;
  /** In place of the small model's. */
  readonly files?: Partial<ModelFiles>;
}

/** The prompt of a request, or why there is none: "refused" by the template, or "by load". */
export async function enginePrompt(
  path: string,
  { profile, template, reasoningParser, engineVersion, templateArgs = {}, files }: EngineModel,
  body: object,
): Promise<string | undefined> {
  const parser = {
    templateArgs,
    ...(reasoningParser === undefined ? {} : { reasoningParser }),
    ...(engineVersion === undefined ? {} : { engineVersion }),
  };
  const model = await Model.load(
    { name: "m", profile: profileByName(profile), blockSize: 16, ...parser },
    modelFiles(template, files),
  );
  const engineOf = () => model.engine;
  const options = { dialect: "engine", engineOf, refuseUnknownShapes: false, maxDepth: 100 } as const;
  const request = parseRequest(path, Buffer.from(JSON.stringify({ model: "m", ...body })), options);
  if (request.api === "promptless") return "by load";
  try {
    const { pieces, inexactReason } = await model.tokenize(request);
    return inexactReason === undefined ? pieces?.join("") : "by load";
  } catch (error) {
    if (error instanceof RoutingError) return "refused";
    throw error;
  }
}
