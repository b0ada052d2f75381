import { IdBuffer } from "./id-buffer.ts";
import { IdRun } from "./id-run.ts";

/** The runs of a prompt in order; ids that belong to no cached run are collected in runs of their own. */
export class RunList {
  /** Ids after the last run: append to it what is not worth a run. */
  readonly pending = new IdBuffer();
  readonly #runs: IdRun[] = [];

  addRun(run: IdRun): void {
    this.#flush();
    this.#runs.push(run);
  }

  addId(id: number): void {
    this.pending.push(id);
  }

  runs(): readonly IdRun[] {
    this.#flush();
    return this.#runs;
  }

  #flush(): void {
    if (this.pending.length > 0) this.#runs.push(new IdRun(this.pending.take()));
  }
}
