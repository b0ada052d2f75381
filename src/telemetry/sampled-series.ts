import { Counter, type CounterConfiguration, Gauge, type GaugeConfiguration, type Registry } from "prom-client";

/** How a family of series is called. */
export interface SeriesName<L extends string> {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly L[];
}

/** Puts one series into the family that is being read. */
export type AddSeries<L extends string> = (labels: Readonly<Record<L, string | number>>, value: number) => void;

/** Registers gauges that are read at each scrape. @param read names all of them: what it leaves out has no series then */
export function registerGauges<L extends string>(
  registry: Registry,
  name: SeriesName<L>,
  read: (add: AddSeries<L>) => void,
): void {
  const series = new Gauge<L>(
    readAtScrape(registry, name, () => {
      series.reset();
      read((labels, value) => series.set(labels, value));
    }),
  );
}

/** Registers totals that are read at each scrape. @param read as for gauges */
export function registerTotals<L extends string>(
  registry: Registry,
  name: SeriesName<L>,
  read: (add: AddSeries<L>) => void,
): void {
  const series = new Counter<L>(
    readAtScrape(registry, name, () => {
      series.reset();
      read((labels, value) => series.inc(labels, value));
    }),
  );
}

function readAtScrape<L extends string>(
  registry: Registry,
  { name, help, labels }: SeriesName<L>,
  collect: () => void,
): CounterConfiguration<L> & GaugeConfiguration<L> {
  return { name, help, labelNames: labels, registers: [registry], collect };
}
