import type { Config } from "../../config/index.ts";
import type { ServedModel } from "../../router/index.ts";
import type { ConsoleModel } from "../../surface/admin/index.ts";
import type { RequestMetrics } from "../../telemetry/index.ts";

/** A served model as it is. @param settings undefined = a worker brought it */
export function modelState(
  { name, aliases, adapters = [], pipeline, index }: ServedModel,
  settings: Config["models"][number] | undefined,
  requests: Pick<RequestMetrics, "inexactOf">,
): ConsoleModel {
  const { blocks, maxBlocks, usedBytes, evictedBlocks } = index.stats;
  return {
    name,
    aliases: [...aliases, ...adapters],
    blockSize: index.blockSize,
    profile: settings?.profile,
    tokens: pipeline === undefined ? "load" : pipeline.engine === "loading" ? "loading" : "exact",
    loadReason: pipeline === undefined ? loadReason(settings) : undefined,
    inexact: settings === undefined ? {} : requests.inexactOf(name),
    index: { blocks, maxBlocks, guessedBlocks: index.guesses?.blockCount ?? 0, usedBytes, evictedBlocks },
  };
}

function loadReason(settings: Config["models"][number] | undefined): string {
  if (settings === undefined) return "workers brought it: callers give the tokens of their prompts themselves";
  return settings.loadOnly ? "its setting loadOnly is on" : "it has neither a folder nor a hubId";
}
