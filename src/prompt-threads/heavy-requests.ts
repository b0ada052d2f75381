import { Buffer } from "node:buffer";
import type { JsonReader } from "../json/index.ts";
import type { TokenizedPrompt } from "../model/index.ts";
import type {
  Elsewhere,
  ModelRegistry,
  PreparedRequest,
  PrepareInput,
  ServedModel,
  Unprepared,
} from "../router/index.ts";
import type { PreparedMessage, PromptMessage } from "./messages.ts";
import type { ShadowCheck } from "./shadow-check.ts";

/** Earlier calls' arguments: JSON as text, which templates want as values. */
const callArguments = Buffer.from("arguments");

/** Threads as they are used here. */
export interface PreparingThreads {
  prepare(input: PrepareInput, signal: AbortSignal | undefined): Promise<PreparedMessage | Unprepared>;
}

/** What the main thread may read of a body. */
export interface HeavyLimits {
  /** Bodies up to here are read by the main thread whatever is in them, in bytes. */
  readonly lightBytes: number;
  /** Bytes of a body that may be new; a body up to here is read by the main thread unless it has too many values. */
  readonly maxNewBytes: number;
  /** Values and keys in a body. */
  readonly maxRecords: number;
  /** A larger body is never read, even when all of it is known. */
  readonly maxBytes: number;
}

export interface HeavyRequestsParts {
  /** Threads that have the exact engine. */
  readonly exact: PreparingThreads;
  /** Threads that have the official one, for what the exact engine does not know. */
  readonly official: PreparingThreads;
  readonly check: Pick<ShadowCheck, "consider">;
}

/** Decides which requests are prepared in other threads, and has them prepared there. */
export class HeavyRequests implements Elsewhere {
  readonly #models: ModelRegistry;
  readonly #reader: JsonReader;
  readonly #limits: HeavyLimits;
  readonly #parts: HeavyRequestsParts;

  /** @param reader the main thread's, which knows the strings of the bodies met lately */
  constructor(models: ModelRegistry, reader: JsonReader, limits: HeavyLimits, parts: HeavyRequestsParts) {
    this.#models = models;
    this.#reader = reader;
    this.#limits = limits;
    this.#parts = parts;
  }

  preparedHere(input: PrepareInput, prepared: PreparedRequest): void {
    this.#parts.check.consider(input, prepared);
  }

  takes(body: Buffer): boolean {
    const { lightBytes, maxNewBytes, maxRecords, maxBytes } = this.#limits;
    if (body.length <= lightBytes) return false;
    if (body.length > maxBytes) return true;
    const weight = this.#reader.weigh(body, maxRecords, { maxDepth: 1024, rawControlCharacters: true }, callArguments);
    // What is no JSON is refused sooner than it could be handed over, unless it is long.
    if (weight === undefined) return body.length > maxNewBytes;
    return weight.records > maxRecords || weight.unknownBytes > maxNewBytes;
  }

  async prepare(
    input: PrepareInput,
    deferringModel: ServedModel | undefined,
    signal: AbortSignal | undefined,
  ): Promise<PreparedRequest | Unprepared> {
    const { exact, official, check } = this.#parts;
    if (deferringModel?.pipeline?.hasEngine !== false) {
      const outcome = this.#received(await exact.prepare(input, signal));
      if ("failure" in outcome) return outcome;
      if (outcome.prompt?.isDeferred !== true) {
        check.consider(input, outcome);
        return outcome;
      }
    }
    return this.#received(await official.prepare(input, signal));
  }

  #received(outcome: PreparedMessage | Unprepared): PreparedRequest | Unprepared {
    if ("failure" in outcome) return outcome;
    const { modelName, prompt, bodyEdit, ...rest } = outcome;
    const model = modelName === undefined ? undefined : this.#models.find(modelName);
    if (prompt?.promptHead !== undefined) model?.pipeline?.remember?.(prompt.promptHead, prompt.tokenIds);
    return {
      ...rest,
      model,
      prompt: prompt && receivedPrompt(prompt),
      bodyEdit: bodyEdit && { ...bodyEdit, insert: bodyEdit.insert.map(bufferOf) },
    };
  }
}

function receivedPrompt({ promptHead: _head, ...prompt }: PromptMessage): TokenizedPrompt {
  return { ...prompt, decimals: undefined, chain: undefined, pieces: undefined, head: undefined };
}

/** A Buffer arrives as plain bytes. */
function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
