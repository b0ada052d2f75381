import { Buffer } from "node:buffer";
import type { PreparedRequest, PrepareInput, ServedModel, Unprepared } from "../router/index.ts";
import type { PreparingThreads } from "./heavy-requests.ts";
import type { PreparedMessage } from "./messages.ts";

export interface ShadowCheckOptions {
  /** One request in so many is checked; 0 = none. */
  readonly every: number;
  /** Uniform in [0,1). */
  readonly random: () => number;
  /** A name for a body that tells nothing about it. */
  readonly nameOf: (body: Uint8Array) => string;
}

export interface ShadowCheckEvents {
  same(model: string): void;
  /** @param body its name, by `nameOf` */
  different(model: string, body: string): void;
  /** The check could not be done. */
  skipped(model: string): void;
}

/** Checks at one time: they come after all other work. */
const maxRunning = 2;

/** Has a few requests prepared again by the official engine, in the background, and compares the token ids. */
export class ShadowCheck {
  readonly #options: ShadowCheckOptions;
  readonly #official: () => PreparingThreads;
  readonly #events: ShadowCheckEvents;
  readonly #fallBack: (model: ServedModel) => void;
  #running = 0;

  /** @param fallBack told once a model's ids are wrong, that it must not be tokenized by the exact engine any more */
  constructor(
    options: ShadowCheckOptions,
    official: () => PreparingThreads,
    events: ShadowCheckEvents,
    fallBack: (model: ServedModel) => void,
  ) {
    this.#options = options;
    this.#official = official;
    this.#events = events;
    this.#fallBack = fallBack;
  }

  /** A request was prepared by the exact engine. Never throws, and takes no time unless it is chosen. */
  consider(input: PrepareInput, prepared: PreparedRequest): void {
    const { every, random } = this.#options;
    if (every === 0 || random() * every >= 1) return;
    const { model, prompt } = prepared;
    if (model === undefined || prompt === undefined || prompt.inexactReason !== undefined) return;
    if (this.#running >= maxRunning) this.#events.skipped(model.name);
    else void this.#check(model, idLists(prompt), { ...input, body: Buffer.from(input.body) });
  }

  async #check(model: ServedModel, ids: readonly Uint32Array[], input: PrepareInput): Promise<void> {
    this.#running++;
    try {
      const outcome = await this.#official().prepare(input, undefined);
      this.#compare(model, ids, input, outcome);
    } catch {
      // Refused, where it was not before, or a thread that could not be started.
      this.#events.skipped(model.name);
    } finally {
      this.#running--;
    }
  }

  #compare(
    model: ServedModel,
    ids: readonly Uint32Array[],
    { body }: PrepareInput,
    outcome: PreparedMessage | Unprepared,
  ): void {
    if ("failure" in outcome || outcome.prompt === undefined || outcome.prompt.inexactReason !== undefined) {
      this.#events.skipped(model.name);
    } else if (areEqual(ids, idLists(outcome.prompt))) {
      this.#events.same(model.name);
    } else {
      this.#events.different(model.name, this.#options.nameOf(body));
      this.#fallBack(model);
    }
  }
}

function idLists(prompt: {
  readonly tokenIds: Uint32Array;
  readonly batch: readonly Uint32Array[] | undefined;
}): readonly Uint32Array[] {
  return prompt.batch ?? [prompt.tokenIds];
}

function areEqual(first: readonly Uint32Array[], second: readonly Uint32Array[]): boolean {
  return first.length === second.length && first.every((ids, at) => isSame(ids, second[at] ?? new Uint32Array(0)));
}

function isSame(first: Uint32Array, second: Uint32Array): boolean {
  return Buffer.compare(bytesOf(first), bytesOf(second)) === 0;
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
