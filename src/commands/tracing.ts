import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { type Config, ConfigError } from "../config/index.ts";
import { type Logger, type OtlpTracer, startTracing } from "../telemetry/index.ts";
import { version } from "../version.ts";
import { replicaName } from "./reservation-ids.ts";

/** Begins to make traces; undefined = the settings name no collector. @throws ConfigError for a file that cannot be used */
export async function tracerOf(config: Config, log: Logger): Promise<OtlpTracer | undefined> {
  const { endpoint, headersFile, caFile, ...options } = config.tracing;
  if (endpoint === undefined) return undefined;
  const collector = {
    ...options,
    endpoint,
    maxSpans: options.maxQueuedSpans,
    headers: headersFile === undefined ? {} : headersOf(await textOf(headersFile, "tracing.headersFile")),
    ca: caFile === undefined ? undefined : await textOf(caFile, "tracing.caFile"),
    serviceVersion: version,
    instanceId: `${replicaName(config)}.${randomUUID()}`,
  };
  return startTracing(collector, log);
}

async function textOf(file: string, setting: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    throw new ConfigError([`${setting}: ${file} cannot be read`], { cause });
  }
}

/** Lines `name: value`. What a line holds is a secret and is not shown. */
function headersOf(text: string): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "") continue;
    const parts = /^([\w!#$%&'*+.^`|~-]+):[ \t]*(\S(?:.*\S)?)[ \t]*$/.exec(line);
    if (parts === null) throw new ConfigError([`tracing.headersFile: line ${at + 1} is not "name: value"`]);
    headers[parts[1] as string] = parts[2] as string;
  }
  return headers;
}
