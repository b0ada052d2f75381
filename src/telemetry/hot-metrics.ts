import type { Metric, Registry } from "prom-client";

/** What a metric is made of; as prom-client's. */
export interface HotMetricOptions<L extends string> {
  readonly name: string;
  readonly help: string;
  /** Default: none, one series that is there from the start. */
  readonly labelNames?: readonly L[];
  readonly registers: readonly Registry[];
}

export type Labels<L extends string> = Readonly<Record<L, string>>;

/** One line of the exposition. */
interface Sample {
  readonly metricName?: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

/**
 * A metric for the hot path, with the interface of prom-client's and rendered by its registry. Finding a series takes a look-up a label;
 * prom-client makes a string of all labels each time, and copies of them (bench/ext-proc).
 */
abstract class HotMetric<L extends string, S> {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly L[];
  readonly aggregator = "sum";
  abstract readonly type: string;
  /** Series by the value of the first label, and so on. */
  readonly #root = new Map<string, unknown>();
  readonly #series: { readonly labels: Labels<L>; readonly series: S }[] = [];

  constructor({ name, help, labelNames = [], registers }: HotMetricOptions<L>) {
    this.name = name;
    this.help = help;
    this.labelNames = labelNames;
    for (const registry of registers) registry.registerMetric(this as unknown as Metric);
  }

  protected abstract newSeries(): S;
  protected abstract samplesOf(labels: Labels<L>, series: S): readonly Sample[];

  protected allSeries(): Iterable<{ readonly labels: Labels<L>; readonly series: S }> {
    return this.#series;
  }

  /** For the registry. */
  async get() {
    const { name, help, type, aggregator } = this;
    if (this.labelNames.length === 0) this.seriesOf({} as Labels<L>);
    const values = this.#series.flatMap(({ labels, series }) => this.samplesOf(labels, series));
    return { name, help, type, aggregator, values };
  }

  protected seriesOf(labels: Labels<L>): S {
    let level = this.#root;
    const { labelNames } = this;
    for (let at = 0; at < labelNames.length - 1; at++) {
      const value = labels[labelNames[at] as L];
      const next = (level.get(value) as Map<string, unknown> | undefined) ?? new Map<string, unknown>();
      if (next.size === 0) level.set(value, next);
      level = next;
    }
    const last = labelNames.length === 0 ? "" : labels[labelNames[labelNames.length - 1] as L];
    return (level.get(last) as S | undefined) ?? this.#add(level, last, labels);
  }

  #add(level: Map<string, unknown>, last: string, labels: Labels<L>): S {
    const series = this.newSeries();
    level.set(last, series);
    this.#series.push({ labels: { ...labels }, series });
    return series;
  }
}

/** A total that only grows. */
export class HotCounter<L extends string = never> extends HotMetric<L, { value: number }> {
  readonly type = "counter";

  /** @param amount not negative */
  inc(labels: Labels<L>, amount = 1): void {
    this.seriesOf(labels).value += amount;
  }

  /** Sum of all series, or of those that have these labels. */
  total(where: Partial<Labels<L>> = {}): number {
    let sum = 0;
    for (const { series } of this.#where(where)) sum += series.value;
    return sum;
  }

  /** The same by the values of one label. */
  totalsBy(name: L, where: Partial<Labels<L>>): Record<string, number> {
    const totals: Record<string, number> = {};
    for (const { labels, series } of this.#where(where))
      totals[labels[name]] = (totals[labels[name]] ?? 0) + series.value;
    return totals;
  }

  *#where(where: Partial<Labels<L>>) {
    const wanted = Object.entries(where) as [L, string][];
    for (const each of this.allSeries()) if (wanted.every(([name, value]) => each.labels[name] === value)) yield each;
  }

  protected newSeries() {
    return { value: 0 };
  }

  protected samplesOf(labels: Labels<L>, { value }: { value: number }): readonly Sample[] {
    return [{ labels, value }];
  }
}

/** What rises and falls. */
export class HotGauge<L extends string = never> extends HotMetric<L, { value: number }> {
  readonly type = "gauge";

  add(labels: Labels<L>, amount: number): void {
    this.seriesOf(labels).value += amount;
  }

  protected newSeries() {
    return { value: 0 };
  }

  protected samplesOf(labels: Labels<L>, { value }: { value: number }): readonly Sample[] {
    return [{ labels, value }];
  }
}

interface Distribution {
  /** Values by bucket, those beyond the last one at the end; not summed up. */
  readonly counts: Float64Array;
  sum: number;
}

/** Counts values by size. */
export class HotHistogram<L extends string = never> extends HotMetric<L, Distribution> {
  readonly type = "histogram";
  /** Upper bounds, ascending. */
  readonly #bounds: readonly number[];

  constructor(options: HotMetricOptions<L> & { readonly buckets: readonly number[] }) {
    super(options);
    this.#bounds = options.buckets;
  }

  observe(labels: Labels<L>, value: number): void {
    const series = this.seriesOf(labels);
    const { counts } = series;
    const bounds = this.#bounds;
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket++;
    counts[bucket] = (counts[bucket] as number) + 1;
    series.sum += value;
  }

  protected newSeries(): Distribution {
    return { counts: new Float64Array(this.#bounds.length + 1), sum: 0 };
  }

  protected samplesOf(labels: Labels<L>, { counts, sum }: Distribution): readonly Sample[] {
    const samples: Sample[] = [];
    let count = 0;
    const add = (part: string, more: Readonly<Record<string, string | number>>, value: number) => {
      samples.push({ metricName: `${this.name}_${part}`, labels: { ...more, ...labels }, value });
    };
    this.#bounds.forEach((le, at) => {
      count += counts[at] as number;
      add("bucket", { le }, count);
    });
    count += counts[this.#bounds.length] as number;
    add("bucket", { le: "+Inf" }, count);
    add("sum", {}, sum);
    add("count", {}, count);
    return samples;
  }
}
