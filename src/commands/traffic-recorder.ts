import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Config } from "../config/index.ts";
import { ConfigError } from "../config/index.ts";
import { traceText } from "../replay/index.ts";
import type { RouteDecision } from "../router/index.ts";
import type { Logger } from "../telemetry/index.ts";
import { BlockNames } from "./block-names.ts";
import type { PickedWatch, RequestWatch, RequestWatcher } from "./request-watch.ts";
import { TrafficFile } from "./traffic-file.ts";

const leastSecretBytes = 16;

/** Where lines go. */
export interface TrafficSink {
  append(line: string): void;
}

/** Records what was answered, by time, lengths and keyed hashes. */
export class TrafficRecorder implements RequestWatcher {
  readonly #sink: TrafficSink;
  readonly #names: BlockNames;
  readonly #blockTokens: number;
  readonly #now: () => number;

  /** @param now milliseconds since 1970 */
  constructor(sink: TrafficSink, names: BlockNames, blockTokens: number, now: () => number) {
    this.#sink = sink;
    this.#names = names;
    this.#blockTokens = blockTokens;
    this.#now = now;
  }

  watch(): RequestWatch {
    const timestampMs = this.#now();
    return { picked: (decision) => this.#picked(decision, timestampMs), failed: () => undefined };
  }

  #picked({ inputTokens, selection }: RouteDecision, timestampMs: number): PickedWatch {
    const { hashes, model } = selection.subject;
    if (inputTokens === undefined || hashes === undefined || model === undefined) return { ended: () => undefined };
    let outputTokens = 0;
    let isAnswered = false;
    return {
      firstContent: () => {
        isAnswered = true;
      },
      used: (usage) => {
        isAnswered = true;
        outputTokens = usage.outputTokens ?? 0;
      },
      ended: () => {
        if (!isAnswered) return;
        const blockIds = this.#names.of(hashes, this.#blockTokens / model.index.blockSize);
        this.#sink.append(traceText({ timestampMs, inputTokens, outputTokens, blockIds }));
      },
    };
  }
}

/** A recorder with its file. */
export interface RunningRecorder {
  readonly watcher: RequestWatcher;
  readonly lines: TrafficFile["lines"];
  close(): Promise<void>;
}

/** Starts what the settings `recorder` ask for. @throws ConfigError naming the setting @returns undefined = nothing is recorded */
export async function startRecorder({ recorder }: Config, log: Logger): Promise<RunningRecorder | undefined> {
  const { file, keyFile, blockTokens } = recorder;
  if (file === undefined) return undefined;
  const names = new BlockNames(keyFile === undefined ? randomBytes(leastSecretBytes) : await secretOf(keyFile));
  const traceFile = await opened({ ...recorder, file }, log);
  return {
    watcher: new TrafficRecorder(traceFile, names, blockTokens, Date.now),
    lines: traceFile.lines,
    close: () => traceFile.close(),
  };
}

async function opened(options: Config["recorder"] & { readonly file: string }, log: Logger): Promise<TrafficFile> {
  const failed = (reason: Error | "full"): void => {
    const { file, maxBytes } = options;
    if (reason === "full")
      log.warn({ file, maxBytes }, "the trace is as long as it may become: nothing more is recorded");
    else log.error({ file, err: reason }, "the trace cannot be written: nothing more is recorded");
  };
  try {
    return await TrafficFile.open(options, failed);
  } catch (cause) {
    throw new ConfigError([`recorder.file: ${options.file} cannot be opened: ${messageOf(cause)}`], { cause });
  }
}

async function secretOf(file: string): Promise<Buffer> {
  let secret: Buffer;
  try {
    secret = await readFile(file);
  } catch (cause) {
    throw new ConfigError([`recorder.keyFile: ${file} cannot be read: ${messageOf(cause)}`], { cause });
  }
  if (secret.length < leastSecretBytes)
    throw new ConfigError([`recorder.keyFile: ${file} holds ${secret.length} bytes, ${leastSecretBytes} are needed`]);
  return secret;
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
