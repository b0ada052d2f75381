import type { Config } from "../config/index.ts";
import type { Catalogue, Worker } from "../fleet/index.ts";
import { profileByName } from "../model/index.ts";
import type { Logger } from "../telemetry/index.ts";
import { modesOf } from "./modes.ts";

/** Something that is wrong with a worker as it is set up; for people, and the metrics. */
export interface WorkerProblem {
  readonly kind: "prefill_untold";
  readonly message: string;
}

const untold: WorkerProblem = {
  kind: "prefill_untold",
  message:
    "prompts are prefilled by another worker, of which this one is not told: it computes them again (workers[].headers.prefillHost)",
};

/**
 * Finds workers that are to decode what another one has prefilled, and are not told which one: Envoy carries only the headers that a
 * worker's settings ask for. Callers of the route API are told in its answer, Dynamo's frontend always.
 */
export class UntoldPrefill {
  readonly #catalogue: Catalogue;
  readonly #log: Logger;
  /** Models whose backends are told by the workers' settings alone. */
  readonly #models: readonly string[];
  readonly #warned = new WeakSet<Worker>();
  readonly #unsubscribe: () => void;
  #isLookPlanned = false;

  constructor(catalogue: Catalogue, config: Config, log: Logger) {
    this.#catalogue = catalogue;
    this.#log = log;
    this.#models = modesOf(config).includes("ext-proc")
      ? config.models.filter(({ profile }) => !profileByName(profile).setsDynamoHeaders).map(({ name }) => name)
      : [];
    this.#unsubscribe = catalogue.subscribe({ onAdded: () => this.#plan(), onUpdated: () => this.#plan() });
    this.#look();
  }

  problemsOf(worker: Worker): readonly WorkerProblem[] {
    return this.#models.some((model) => this.#isUntold(worker, model)) ? [untold] : [];
  }

  close(): Promise<void> {
    this.#unsubscribe();
    return Promise.resolve();
  }

  #isUntold({ headers, role, models }: Worker, model: string): boolean {
    if (headers.sendsPrefillHost || role === "prefill" || role === "encode") return false;
    if (models.length > 0 && !models.includes(model)) return false;
    const roles = this.#catalogue.ranksFor(model).map(({ worker }) => worker.role);
    // Aggregated workers take the decode half where there are no decode workers.
    return roles.includes("prefill") && (role === "decode" || !roles.includes("decode"));
  }

  /** Workers come in numbers, in one turn of the event loop. */
  #plan(): void {
    if (this.#isLookPlanned || this.#models.length === 0) return;
    this.#isLookPlanned = true;
    setImmediate(() => {
      this.#isLookPlanned = false;
      this.#look();
    });
  }

  #look(): void {
    for (const worker of this.#catalogue.workers()) {
      const [problem] = this.problemsOf(worker);
      if (problem === undefined) this.#warned.delete(worker);
      if (problem === undefined || this.#warned.has(worker)) continue;
      this.#warned.add(worker);
      this.#log.warn({ worker: worker.name, endpoint: worker.endpoint, problem: problem.kind }, problem.message);
    }
  }
}
