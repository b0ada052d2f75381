import type { JsonSchema } from "../../http/index.ts";
import type { Partition, Selection, Selections, WorkerDirectory, WorkerRank } from "../../router/index.ts";
import { signedHashes, TextCache } from "./json-text.ts";

/** What an answer says beside the chosen worker. */
export interface SelectionAnswerParts {
  readonly id: string | undefined;
  /** Adds the load of the worker. */
  readonly isAdvisory?: boolean;
  /** Adds what was booked. */
  readonly reserved?: { readonly tracksPrefill: boolean };
}

type PickedCandidate = Selection["answering"]["picked"];

/** Writes selections and reservations as dynamo@1.6.1 select_service does. By hand: they are answered most. */
export class SelectionWriter {
  readonly #selections: Selections;
  readonly #workers: WorkerDirectory;
  readonly #texts = new TextCache();

  constructor(selections: Selections, workers: WorkerDirectory) {
    this.#selections = selections;
    this.#workers = workers;
  }

  selection(partition: Partition, selection: Selection, parts: SelectionAnswerParts): string {
    const { subject, answering } = selection;
    const { picked } = answering;
    const { blockSize } = partition;
    const promptTokens = subject.promptTokens ?? 0;
    const sequence = subject.loadSequence ?? subject.hashes?.sequence ?? noHashes;
    const tail = Math.max(0, Math.ceil(promptTokens / blockSize) - (sequence.length >>> 1));
    const decodeBlocks = picked.activeDecodeBlocks + picked.blocksNotActive + tail;
    return (
      `{${parts.id === undefined ? "" : `"selection_id":${JSON.stringify(parts.id)},`}` +
      `${parts.reserved === undefined ? "" : bookedPart(sequence, promptTokens, parts.reserved.tracksPrefill)}` +
      `${this.#place(partition.model, partition.group, picked.rank)},"block_size":${blockSize},` +
      `"overlap":${overlapPart(selection, blockSize)},` +
      `"effective_prefill_tokens":${this.#selections.uncachedTokens(subject, picked)},` +
      `"potential_decode_blocks":${decodeBlocks}${parts.isAdvisory === true ? this.#loadPart(picked) : ""}}`
    );
  }

  reservation(
    fields: { readonly selection_id: string; readonly model_name: string; readonly routing_group: string },
    rank: WorkerRank,
  ): string {
    const place = this.#place(fields.model_name, fields.routing_group, rank);
    return `{"selection_id":${JSON.stringify(fields.selection_id)},${place}}`;
  }

  #place(model: string, group: string, { worker, dpRank }: WorkerRank): string {
    const endpoint = this.#texts.of(this.#workers.endpointOf(worker));
    return (
      `"model_name":${this.#texts.of(model)},"routing_group":${this.#texts.of(group)},` +
      `"worker_id":${worker.id},"dp_rank":${dpRank},"endpoint":${endpoint}`
    );
  }

  #loadPart({ rank, activePrefillTokens }: PickedCandidate): string {
    const total = rank.worker.totalKvBlocks;
    return (
      `,"worker_load":{"active_prefill_tokens":${activePrefillTokens},` +
      `"prefill_token_capacity":${this.#workers.batchedTokensOf(rank.worker)}` +
      `${total === undefined ? "" : `,"total_kv_blocks":${total}`}}`
    );
  }
}

const noHashes = new Uint32Array(0);

function bookedPart(sequence: Uint32Array, promptTokens: number, tracksPrefill: boolean): string {
  return (
    `"sequence_hashes":${signedHashes(sequence)},"isl_tokens":${promptTokens},` +
    `"track_prefill_tokens":${tracksPrefill},`
  );
}

/** In tokens; `cpu` and `disk` count the tiers before them too. */
function overlapPart({ answering: { picked, candidates } }: Selection, blockSize: number): string {
  const gpu = picked.deviceBlocks * blockSize;
  const cpu = gpu + picked.hostBlocks * blockSize;
  const disk = cpu + picked.diskBlocks * blockSize;
  const ranks = candidates
    .filter(({ rank }) => rank.worker === picked.rank.worker)
    .map(({ rank, deviceBlocks }) => `"${rank.dpRank}":${deviceBlocks * blockSize}`);
  return `{"longest_matched":${disk},"gpu":${gpu},"dp":{${ranks.join(",")}},"cpu":${cpu},"disk":${disk}}`;
}

const tokens: JsonSchema = { type: "integer", minimum: 0 };

/** The schema of a selection. @param isBooked with what was booked */
export function selectionSchema(isBooked: boolean): JsonSchema {
  return {
    type: "object",
    properties: {
      selection_id: { type: "string" },
      ...(isBooked
        ? {
            sequence_hashes: { type: "array", items: { type: "integer", format: "int64" } },
            isl_tokens: tokens,
            track_prefill_tokens: { type: "boolean" },
          }
        : {}),
      model_name: { type: "string" },
      routing_group: { type: "string" },
      worker_id: { type: "integer", format: "uint64" },
      dp_rank: tokens,
      endpoint: { type: "string" },
      block_size: tokens,
      overlap: {
        type: "object",
        description: "Prompt tokens that the worker holds; `cpu` and `disk` include the tiers before them.",
        properties: {
          longest_matched: tokens,
          gpu: tokens,
          dp: { type: "object", additionalProperties: tokens },
          cpu: tokens,
          disk: tokens,
        },
      },
      effective_prefill_tokens: { ...tokens, description: "Prompt tokens that the worker has yet to prefill." },
      potential_decode_blocks: { ...tokens, description: "Blocks that the worker would hold with the request." },
      worker_load: {
        type: "object",
        description: "With `advisory`.",
        properties: { active_prefill_tokens: tokens, prefill_token_capacity: tokens, total_kv_blocks: tokens },
      },
    },
  };
}
