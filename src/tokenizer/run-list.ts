import { IdBuffer } from "./id-buffer.ts";
import { IdRun } from "./id-run.ts";

/** Runs up to here are copied into one with their neighbours: each costs more than its ids. */
const shortRun = 16;

/** Collects the ids of a text or of a part of a prompt, in runs. */
export class RunList {
  /** Ids since the last run; append to it what is not part of one. */
  readonly ids: IdBuffer;
  #runs: IdRun[] = [];
  #idsInRuns = 0;

  /** @param ids a buffer that nobody else uses until the list is taken; what it holds (of a prompt that was given up) is dropped */
  constructor(ids = new IdBuffer()) {
    ids.length = 0;
    this.ids = ids;
  }

  addRun(run: IdRun): void {
    const { length } = run.ids;
    if (length <= shortRun) this.ids.append(run.ids, 0, length);
    else this.#push(run);
  }

  /** How many ids have been collected. */
  get length(): number {
    return this.#idsInRuns + this.ids.length;
  }

  /** Ends the run that is being collected. @returns how many there are */
  endRun(): number {
    if (this.ids.length > 0) this.#push(undefined);
    return this.#runs.length;
  }

  /** The ids in runs; the list is empty afterwards. */
  takeRuns(): readonly IdRun[] {
    this.endRun();
    const runs = this.#runs;
    this.#runs = [];
    this.#idsInRuns = 0;
    return runs;
  }

  /** The ids in one array; the list is empty afterwards. */
  takeIds(): Uint32Array {
    if (this.#runs.length === 0) return this.ids.take();
    const ids = new Uint32Array(this.length);
    let at = 0;
    for (const run of this.takeRuns()) {
      ids.set(run.ids, at);
      at += run.ids.length;
    }
    return ids;
  }

  /** Adds a run after the ids that stand alone, which become one. */
  #push(run: IdRun | undefined): void {
    if (this.ids.length > 0) {
      this.#idsInRuns += this.ids.length;
      this.#runs.push(new IdRun(this.ids.take()));
    }
    if (run === undefined) return;
    this.#idsInRuns += run.ids.length;
    this.#runs.push(run);
  }
}
