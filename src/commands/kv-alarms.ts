import type { KvEventStatus } from "../kv-events/index.ts";
import type { KvProblem, KvProblemKind } from "./kv-rank-status.ts";

/** What can be seen of a rank at one moment. */
export interface RankSigns {
  readonly status: KvEventStatus;
  /** It has owed an event for longer than is usual. */
  readonly isSilent: boolean;
  /** That it is known to hold. */
  readonly blocks: number;
  /** Tokens in a block, as configured. */
  readonly blockSize: number;
  /** Stores of a hash that stood for another block before, since the start. */
  readonly conflicts: number;
  /** Prompts in a row that were sent to it and did not turn up in its cache. */
  readonly unmatchedPrompts: number;
}

/** Where problems are reported; shaped as pino. */
export interface AlarmLog {
  warn(fields: object, message: string): void;
  info(fields: object, message: string): void;
}

/** A problem that lasts is reported again after this long, ms. */
const repeatMs = 600_000;

/** How long a hash that changed its meaning counts as a problem, ms. */
const conflictMs = 60_000;

/** Prompts in a row after which it is no coincidence that none turns up. */
const unmatchedLimit = 3;

/** Says loudly what is wrong with one rank's KV events: one line when a problem begins, one when it is over. */
export class KvAlarms {
  readonly #log: AlarmLog;
  readonly #reportedAt = new Map<KvProblemKind, number>();
  #problems: readonly KvProblem[] = [];
  #conflicts: number | undefined;
  #conflictAt = Number.NEGATIVE_INFINITY;

  constructor(log: AlarmLog) {
    this.#log = log;
  }

  /** What is wrong at present, as of the last look. */
  get problems(): readonly KvProblem[] {
    return this.#problems;
  }

  look(signs: RankSigns, nowMs: number): void {
    if (signs.conflicts > (this.#conflicts ?? signs.conflicts)) this.#conflictAt = nowMs;
    this.#conflicts = signs.conflicts;
    const problems = problemsOf(signs, nowMs - this.#conflictAt < conflictMs);
    for (const problem of problems) this.#report(problem, nowMs);
    for (const { kind } of this.#problems) {
      if (problems.some((problem) => problem.kind === kind)) continue;
      this.#log.info({ problem: kind }, "KV events: the problem is over");
    }
    this.#problems = problems;
  }

  #report({ kind, message }: KvProblem, nowMs: number): void {
    const last = this.#reportedAt.get(kind);
    const isNew = !this.#problems.some((problem) => problem.kind === kind);
    // One that comes and goes is not reported each time.
    if (last !== undefined && nowMs - last < (isNew ? conflictMs : repeatMs)) return;
    this.#reportedAt.set(kind, nowMs);
    this.#log.warn({ problem: kind }, `KV events: ${message}`);
  }
}

function problemsOf(signs: RankSigns, hasConflicts: boolean): readonly KvProblem[] {
  const { status, blockSize, unmatchedPrompts } = signs;
  const problems: KvProblem[] = [];
  const add = (kind: KvProblemKind, message: string) => problems.push({ kind, message });
  if (signs.isSilent) {
    add("silent", silenceOf(signs));
  }
  if (status.foreignBlockSize !== undefined) {
    const sizes = `the engine's KV blocks have ${status.foreignBlockSize} tokens, the model's blockSize is ${blockSize}`;
    add("block_size_mismatch", `${sizes}: its prefixes cannot be matched`);
  }
  if (hasConflicts) {
    add("hash_mismatch", "the engine's hashes stand for other blocks than before: its prefixes may be wrong");
  } else if (unmatchedPrompts >= unmatchedLimit) {
    add(
      "hash_mismatch",
      "the prompts sent to the worker do not turn up in its cache: its tokens, template, block size or cache salt differ from ours",
    );
  }
  if (status.isStale) add("stale", "events were lost for good: what the worker holds may be wrong");
  if (!status.isReadable) add("unreadable", "the worker's messages are no KV events that are known");
  return problems;
}

function silenceOf({ status, blocks }: RankSigns): string {
  const { isConnected, hasSeenEvents } = status;
  const unreached = "their address cannot be reached";
  if (hasSeenEvents || blocks > 0) {
    const why = isConnected ? "does its engine still publish them?" : unreached;
    return `no KV events came for prompts that were new to the worker (${why}): what it holds is known as it was`;
  }
  const why = isConnected ? "are they enabled in the engine?" : unreached;
  return `the worker serves requests but publishes no KV events (${why}): its cache counts as empty`;
}
