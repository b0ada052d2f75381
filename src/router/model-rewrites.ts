/** Under which name requests for a model go on. */
export interface ModelRewriteRule {
  /** Names of models as requests have them; undefined = every request, also one that names none. */
  readonly models: readonly string[] | undefined;
  /** Never empty. */
  readonly targets: readonly ModelRewriteTarget[];
}

export interface ModelRewriteTarget {
  readonly model: string;
  /** Its part of the requests, against the weights of the others. Where none has one all are equal; where some have, the others get nothing. */
  readonly weight: number | undefined;
}

/** A split with the sums of its weights. */
interface Split {
  readonly models: readonly string[];
  /** Sum of the weights up to and with each model. */
  readonly upTo: readonly number[];
}

/**
 * The rules by which requests get another model: those of the settings, and those that are discovered while the picker runs. A rule that
 * names the model wins over one for every request; among equals the first one counts, the settings' before others.
 */
export class ModelRewrites {
  readonly #configured: readonly ModelRewriteRule[];
  readonly #random: () => number;
  #exact: ReadonlyMap<string, Split> = new Map();
  #generic: Split | undefined;

  /** @param random uniform in [0,1) */
  constructor(configured: readonly ModelRewriteRule[], random: () => number) {
    this.#configured = configured;
    this.#random = random;
    this.discovered([]);
  }

  /** Whether any request may get another model. */
  get areAny(): boolean {
    return this.#generic !== undefined || this.#exact.size > 0;
  }

  /** All rules that are discovered by now, in their order. */
  discovered(rules: readonly ModelRewriteRule[]): void {
    const exact = new Map<string, Split>();
    let generic: Split | undefined;
    for (const { models, targets } of [...this.#configured, ...rules]) {
      const split = splitOf(targets);
      if (models === undefined) generic ??= split;
      else for (const model of models) if (!exact.has(model)) exact.set(model, split);
    }
    this.#exact = exact;
    this.#generic = generic;
  }

  /** What a request for a model goes on as, drawn anew each time; undefined = no rule is about it. */
  targetOf(model: string | undefined): string | undefined {
    const split = (model === undefined ? undefined : this.#exact.get(model)) ?? this.#generic;
    if (split === undefined) return undefined;
    const drawn = this.#random() * (split.upTo.at(-1) ?? 0);
    return split.models[split.upTo.findIndex((upTo) => drawn < upTo)];
  }
}

function splitOf(targets: readonly ModelRewriteTarget[]): Split {
  const isWeighted = targets.some(({ weight }) => weight !== undefined && weight > 0);
  let sum = 0;
  const upTo = targets.map(({ weight }) => {
    sum += isWeighted ? Math.max(0, weight ?? 0) : 1;
    return sum;
  });
  return { models: targets.map(({ model }) => model), upTo };
}
