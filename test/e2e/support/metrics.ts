/** One line of a Prometheus page. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The samples of a Prometheus text page. */
export function parseMetrics(text: string): readonly Sample[] {
  return text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map(parseSample);
}

/** Sum of the samples of that name whose labels include `labels`; 0 when there is none. */
export function sumOf(samples: readonly Sample[], name: string, labels: Readonly<Record<string, string>> = {}): number {
  const wanted = Object.entries(labels);
  return samples
    .filter((sample) => sample.name === name && wanted.every(([key, value]) => sample.labels[key] === value))
    .reduce((sum, sample) => sum + sample.value, 0);
}

function parseSample(line: string): Sample {
  const [, name = "", labelText = "", value = ""] = /^([^\s{]+)(?:\{(.*)\})? (\S+)/.exec(line) ?? [];
  const labels = [...labelText.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = "", text = ""]) => [key, text]);
  return { name, labels: Object.fromEntries(labels) as Record<string, string>, value: Number(value) };
}
