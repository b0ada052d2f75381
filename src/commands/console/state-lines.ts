import type {
  ConsoleFrame,
  ConsoleHistory,
  ConsoleRank,
  ConsoleWorker,
  ReadWorker,
  StateReading,
} from "../../surface/admin/index.ts";

type HistoryMember = {
  readonly [Name in keyof ConsoleHistory]: { readonly name: Name; readonly value: ConsoleHistory[Name] };
}[keyof ConsoleHistory];

/** A line of a state, as shards send it: each is read by itself, so that a whole state never is in one step. */
type StateLine =
  | { readonly kind: "worker"; readonly worker: Omit<ConsoleWorker, "ranks"> }
  /** Of the last worker. */
  | { readonly kind: "rank"; readonly rank: ConsoleRank }
  | ({ readonly kind: "history" } & HistoryMember)
  /** What is left: the last line. */
  | { readonly kind: "rest"; readonly rest: Omit<ConsoleFrame, "history"> };

/** The lines of a state, made as it is read. */
export function* stateLines(reading: StateReading): Generator<string> {
  for (const worker of reading.workers()) {
    if (worker === undefined) {
      yield "";
      continue;
    }
    const { ranks, ...head } = worker;
    yield lineOf({ kind: "worker", worker: head });
    for (const rank of ranks) yield lineOf({ kind: "rank", rank });
  }
  const { history, ...rest } = yield* frameOf(reading);
  for (const [name, value] of Object.entries(history)) yield lineOf({ kind: "history", name, value } as StateLine);
  yield lineOf({ kind: "rest", rest });
}

function lineOf(line: StateLine): string {
  return `${JSON.stringify(line)}\n`;
}

function* frameOf(reading: StateReading): Generator<string, ConsoleFrame> {
  const steps = reading.frame();
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    yield "";
  }
}

/** A state that a process told in lines, read one by one. */
export class ToldReading implements StateReading {
  readonly #lines: Iterator<string>;
  #ahead: StateLine | undefined;
  #requests = 0;

  /** @param pieces of the text, cut anywhere */
  constructor(pieces: readonly string[]) {
    this.#lines = linesOf(pieces);
  }

  /** Requests booked on the ranks that have been read. */
  get requests(): number {
    return this.#requests;
  }

  *workers(): Generator<ReadWorker> {
    for (let line = this.#next(); line?.kind === "worker"; line = this.#ahead) {
      this.#next();
      const ranks = this.#ranks();
      yield { ...line.worker, ranks };
      // Those that nobody wanted.
      for (const _rank of ranks);
    }
  }

  /** To be read after the workers. */
  *frame(): Generator<undefined, ConsoleFrame> {
    const history: Record<string, unknown> = {};
    for (let line = this.#ahead; line !== undefined; line = this.#next()) {
      if (line.kind === "rest") return { ...line.rest, history: history as unknown as ConsoleHistory };
      if (line.kind === "history") history[line.name] = line.value;
      yield undefined;
    }
    throw new Error("a shard's state has no end");
  }

  *#ranks(): Generator<ConsoleRank> {
    for (let line = this.#ahead; line?.kind === "rank"; line = this.#ahead) {
      this.#requests += line.rank.booked.requests;
      this.#next();
      yield line.rank;
    }
  }

  #next(): StateLine | undefined {
    const { done, value } = this.#lines.next();
    this.#ahead = done === true ? undefined : (JSON.parse(value) as StateLine);
    return this.#ahead;
  }
}

function* linesOf(pieces: readonly string[]): Generator<string> {
  let rest = "";
  for (const piece of pieces) {
    const lines = (rest + piece).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
}
