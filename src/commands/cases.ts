import { randomUUID } from "node:crypto";
import { performance } from "node:perf_hooks";
import type { Readable, Writable } from "node:stream";
import { readModelFolder } from "../config/index.ts";
import { Catalogue } from "../fleet/index.ts";
import { PrefixIndex } from "../kv/index.ts";
import { LeaseTable, LoadTable } from "../load/index.ts";
import { type FrontendSettings, Model, profileByName } from "../model/index.ts";
import { resolvePickOptions, SessionTable } from "../pick/index.ts";
import { ModelRegistry, noAdmission, Router, resolveDisaggregation } from "../router/index.ts";
import { answerCase, badCase, type CaseAnswer } from "./case-answer.ts";
import { lines } from "./lines.ts";

export interface CasesOptions {
  readonly modelDir: string;
  /** The model's name; fills in for `model` in bodies that have none. */
  readonly model: string;
  readonly profile: "dynamo" | "vllm" | "sglang";
  /** Whose reading of the tokenizer's files counts. Default: the profile's. */
  readonly tokenizerView?: "raw" | "transformers5" | "sglang";
  /** Name of the reasoning parser that SGLang, or the workers of a Dynamo frontend, serve the model with. Default: none. */
  readonly reasoningParser?: string | undefined;
  /** What else those workers tell their frontend. Default: nothing. */
  readonly frontend?: FrontendSettings | undefined;
  /** Release of the engine. Default: the newest that is known. */
  readonly engineVersion?: string | undefined;
}

/** Answers each line of `input` with one line: the tokens of a request, by the code that routes requests. */
export async function explainCases(options: CasesOptions, input: Readable, output: Writable): Promise<void> {
  const router = await singleModelRouter(options);
  let number = 0;
  for await (const line of lines(input)) {
    number++;
    if (line.trim() === "") continue;
    const answer = await answerLine(line, number, options.model, router);
    if (!output.write(`${JSON.stringify(answer)}\n`)) await new Promise((resolve) => output.once("drain", resolve));
  }
}

/** A line that is no case gets an answer that says so, with its number. */
async function answerLine(line: string, number: number, model: string, router: Router): Promise<CaseAnswer> {
  try {
    return await answerCase(line, model, (request) => router.prepare(request));
  } catch (error) {
    const message = `line ${number}: ${error instanceof Error ? error.message : String(error)}`;
    return badCase(message);
  }
}

async function singleModelRouter({
  modelDir,
  model,
  profile,
  tokenizerView,
  reasoningParser,
  frontend,
  engineVersion,
}: CasesOptions): Promise<Router> {
  const blockSize = 16;
  const pipeline = await Model.load(
    {
      name: model,
      profile: profileByName(profile),
      blockSize,
      ...(tokenizerView === undefined ? {} : { tokenizerView }),
      ...(reasoningParser === undefined ? {} : { reasoningParser }),
      frontend: { ...frontend, reasoningParser },
      ...(engineVersion === undefined ? {} : { engineVersion }),
    },
    await readModelFolder(modelDir),
  );
  const index = new PrefixIndex({ blockSize, maxBlocks: 1 });
  const served = {
    name: model,
    aliases: [],
    pipeline,
    index,
    hasReasoningParser: profile === "dynamo" && reasoningParser !== undefined,
  };
  return new Router(
    {
      models: new ModelRegistry([served]),
      catalogue: new Catalogue(),
      loads: new LoadTable(),
      leases: new LeaseTable({}, performance, randomUUID),
      sessions: new SessionTable({}, performance),
      random: Math.random,
    },
    {
      pick: resolvePickOptions(),
      disaggregation: resolveDisaggregation(),
      admission: noAdmission,
      affinity: { mode: "off", softRatio: 0, softBlocks: 0 },
      maxFallbacks: 0,
      refuseUnknownShapes: false,
      maxJsonDepth: 128,
      unknownModel: "refuse",
    },
  );
}
