import { Buffer } from "node:buffer";
import { RoutingError } from "../errors/index.ts";
import type { PreparedRequest, PrepareInput } from "../router/index.ts";
import {
  type JobAnswer,
  type PreparedMessage,
  type PrepareMessage,
  type PromptMessage,
  refusalOf,
} from "./messages.ts";

/** The thread's end of its channel. */
export interface ThreadPort {
  postMessage(message: JobAnswer, transfer: readonly ArrayBuffer[]): void;
}

export interface JobServerOptions {
  readonly prepare: (input: PrepareInput) => PreparedRequest | Promise<PreparedRequest>;
  /** Bodies up to here may be read by the main thread later, which then needs what was learned of them. */
  readonly maxBytesHere: number;
}

/** More pieces, or more units in them, are not sent back: to receive them would hold the main thread. */
const maxHeadPieces = 4096;

/** Answers jobs within a thread. Several may be under way: long texts are encoded in slices. */
export class JobServer {
  readonly #port: ThreadPort;
  readonly #options: JobServerOptions;
  readonly #running = new Set<number>();

  constructor(port: ThreadPort, options: JobServerOptions) {
    this.#port = port;
    this.#options = options;
  }

  /** Does a job; resolves when it is answered, and never rejects. */
  async run(message: PrepareMessage): Promise<void> {
    const { job, path, tenantIds, trustClient } = message;
    const body = Buffer.from(message.body.buffer, message.body.byteOffset, message.body.byteLength);
    this.#running.add(job);
    const answer = await this.#answer(job, { path, body, tenantIds, trustClient });
    if (this.#running.delete(job)) this.#port.postMessage(answer, transferOf(answer));
    else this.#port.postMessage({ kind: "cancelled", job }, []);
  }

  /** Its answer is not wanted any more. */
  cancel(job: number): void {
    this.#running.delete(job);
  }

  async #answer(job: number, input: PrepareInput): Promise<JobAnswer> {
    try {
      const prepared = await this.#options.prepare(input);
      return { kind: "prepared", job, prepared: this.#message(prepared, input.body.length) };
    } catch (error) {
      if (error instanceof RoutingError) return { kind: "refused", job, refusal: refusalOf(error) };
      return { kind: "failed", job, fault: faultOf(error) };
    }
  }

  #message({ model, prompt, bodyEdit, ...rest }: PreparedRequest, bodyBytes: number): PreparedMessage {
    return {
      ...rest,
      // Parts may belong to a cache, and what is sent is handed over.
      bodyEdit: bodyEdit && { ...bodyEdit, insert: [Buffer.concat(bodyEdit.insert)] },
      modelName: model?.name,
      prompt: prompt && this.#promptMessage(prompt, bodyBytes),
    };
  }

  #promptMessage(prompt: NonNullable<PreparedRequest["prompt"]>, bodyBytes: number): PromptMessage {
    const { tokenIds, injectable, batch, inexactReason, isDeferred } = prompt;
    const head = bodyBytes > this.#options.maxBytesHere ? undefined : prompt.head?.();
    const promptHead = head === undefined || head.pieces.length > maxHeadPieces ? undefined : head;
    return { tokenIds, injectable, batch, inexactReason, isDeferred, promptHead };
  }
}

/** Type and place of a fault; its message could quote the request. */
function faultOf(error: unknown): string {
  if (!(error instanceof Error)) return "a value that is no error";
  const frames = (error.stack ?? "").split("\n").filter((line) => /^\s+at /.test(line));
  return [error.name, ...frames.slice(0, 5).map((frame) => frame.trim())].join(" ");
}

/** The arrays that are handed over instead of copied: those that have their memory for themselves. */
function transferOf(answer: JobAnswer): readonly ArrayBuffer[] {
  if (answer.kind !== "prepared") return [];
  const { prompt, hashes, bodyEdit } = answer.prepared;
  const arrays: readonly (Uint8Array | Uint32Array | undefined)[] = [
    prompt?.tokenIds,
    ...(prompt?.batch ?? []),
    hashes?.local,
    hashes?.sequence,
    ...(bodyEdit?.insert ?? []),
  ];
  const buffers = new Set<ArrayBuffer>();
  for (const array of arrays) {
    if (array?.buffer instanceof ArrayBuffer && array.byteLength > 0 && array.byteLength === array.buffer.byteLength)
      buffers.add(array.buffer);
  }
  return [...buffers];
}
