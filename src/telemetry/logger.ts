import { type DestinationStream, type Logger, type LoggerOptions as PinoOptions, pino, stdTimeFunctions } from "pino";
import { describeError } from "./describe-error.ts";

export type { Logger } from "pino";

/** How much is written, and what every line says. */
export interface LoggerOptions {
  /** Least severe level that is written. Default `info`. */
  readonly level?: "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";
  /** Fields of every line. Default none. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** Fields that may hold prompt text or secrets; wherever a careless caller puts them, their value is not written. */
const secretFields = [
  "authorization",
  "cookie",
  "body",
  "messages",
  "prompt",
  "input",
  "text",
  "content",
  "tokenIds",
  "token_ids",
  "token_data",
  "apiKey",
  "api_key",
  '["x-api-key"]',
  '["proxy-authorization"]',
];

/**
 * One JSON object a line: `level` as a word, `time` in ISO 8601, `msg`, the given fields. Errors go under `err`.
 * @param destination default: standard output
 */
export function createLogger(options: LoggerOptions = {}, destination?: DestinationStream): Logger {
  const settings: PinoOptions = {
    level: options.level ?? "info",
    base: options.fields ?? null,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: describeError, error: describeError, cause: describeError },
    redact: { paths: secretFields.flatMap(atEveryDepth), censor: "[redacted]" },
  };
  return destination === undefined ? pino(settings) : pino(settings, destination);
}

/** A pattern of pino's matches one depth; lines here are not deeper than three. */
function atEveryDepth(field: string): readonly string[] {
  const inside = field.startsWith("[") ? field : `.${field}`;
  return [field, `*${inside}`, `*.*${inside}`];
}
