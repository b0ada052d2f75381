import { readFile } from "node:fs/promises";
import { beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { httpStatusByCode } from "../../src/errors/index.ts";
import { describeAllMetrics, type MetricDescription } from "../../src/telemetry/index.ts";
import { type ReadMetric, readPromql } from "./support/promql.ts";

const folder = new URL("../../k8s/observability/", import.meta.url);

const duration = z.string().regex(/^\d+(ms|s|m|h|d|w|y)$/);
const labelText = z.record(z.string().regex(/^[a-zA-Z_]\w*$/), z.string());

/** A file of rules, as Prometheus reads it. Source: prometheus/model/rulefmt, without recording rules. */
const ruleFile = z.strictObject({
  groups: z.array(
    z.strictObject({
      name: z.string().min(1),
      interval: duration.optional(),
      rules: z.array(
        z.strictObject({
          alert: z.string().regex(/^Pointsman[A-Z]\w+$/),
          expr: z.string().min(1),
          for: duration.optional(),
          labels: labelText,
          annotations: labelText,
        }),
      ),
    }),
  ),
});

interface Target {
  readonly expr: string;
  readonly legendFormat: string;
}

interface Panel {
  readonly id: number;
  readonly type: string;
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets?: readonly Target[];
}

interface Dashboard {
  readonly uid: string;
  readonly panels: readonly Panel[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly definition?: string }[] };
}

let metrics: ReadonlyMap<string, MetricDescription>;
let rules: z.output<typeof ruleFile>["groups"][number]["rules"];
let dashboard: Dashboard;

beforeAll(async () => {
  metrics = new Map((await describeAllMetrics()).map((metric) => [metric.name, metric]));
  rules = ruleFile.parse(parse(await readFile(new URL("alerts.yaml", folder), "utf8"))).groups.flatMap((g) => g.rules);
  dashboard = JSON.parse(await readFile(new URL("dashboard.json", folder), "utf8"));
});

/** Labels that Prometheus gives every series of a scraped process. */
const scrapeLabels = ["job", "instance", "namespace", "pod"];

/** The metric that a series belongs to, with the labels of that series; undefined = nobody serves it. */
function servedSeries(name: string): { readonly type: string; readonly labels: readonly string[] } | undefined {
  const own = metrics.get(name);
  if (own !== undefined) return own.type === "histogram" ? undefined : own;
  const [, base = "", part] = /^(.*)_(bucket|sum|count)$/.exec(name) ?? [];
  const histogram = metrics.get(base);
  if (histogram?.type !== "histogram") return undefined;
  return part === "bucket" ? { ...histogram, labels: [...histogram.labels, "le"] } : histogram;
}

/** What is wrong with the metrics that an expression reads. */
function faultsOf(expr: string): readonly string[] {
  return readPromql(expr).flatMap((read) => {
    const series = servedSeries(read.name);
    if (series === undefined) return [`${read.name} is not served`];
    const known = [...series.labels, ...scrapeLabels];
    const labels = [...read.matchers.map(({ label }) => label), ...read.grouping];
    return [
      ...labels.filter((label) => !known.includes(label)).map((label) => `${read.name} has no label ${label}`),
      ...codeFaults(read),
    ];
  });
}

function codeFaults({ name, matchers }: ReadMetric): readonly string[] {
  return matchers
    .filter(({ label, operator }) => label === "code" && operator.startsWith("="))
    .flatMap(({ value }) => value.split("|"))
    .filter((code) => !(code in httpStatusByCode))
    .map((code) => `${name} has no code ${code}`);
}

/** Rates and increases are of counters, and nothing else is. */
function rateFaults(expr: string): readonly string[] {
  const rated = [...expr.matchAll(/\b(?:rate|increase)\((\w+)/g)].map(([, name = ""]) => name);
  return readPromql(expr).flatMap(({ name }) => {
    const type = servedSeries(name)?.type;
    const isCounter = type === "counter" || type === "histogram";
    return isCounter === rated.includes(name) ? [] : [`${name} is a ${type}`];
  });
}

/** Variables and intervals as Grafana puts them in. */
function filledIn(text: string): string {
  return text.replaceAll("$__rate_interval", "5m").replaceAll(/\$(job|instance|model)/g, ".*");
}

describe("the reading of expressions", () => {
  it.each([
    "rate(pointsman_picks_total[5m]",
    "sum by (model rate(x[5m])",
    "pointsman_picks_total{code=}",
    'x{a="b"} and',
  ])("refuses %s", (expr) => {
    expect(() => readPromql(expr)).toThrow("cannot be read");
  });

  it("finds metrics, labels and codes that nobody serves, and rates of gauges", () => {
    expect(faultsOf("sum by (worker) (rate(pointsman_pick_total[5m]))")).toEqual([
      "pointsman_pick_total is not served",
    ]);
    expect(faultsOf("sum by (worker, kind) (rate(pointsman_picks_total[5m]))")).toEqual([
      "pointsman_picks_total has no label worker",
      "pointsman_picks_total has no label kind",
    ]);
    expect(faultsOf('pointsman_errors_total{code=~"saturated|full"}')).toEqual([
      "pointsman_errors_total has no code full",
    ]);
    expect(faultsOf("pointsman_pick_duration_seconds")).toEqual(["pointsman_pick_duration_seconds is not served"]);
    expect(rateFaults("rate(pointsman_leases[5m])")).toEqual(["pointsman_leases is a gauge"]);
    expect(rateFaults("sum(pointsman_picks_total)")).toEqual(["pointsman_picks_total is a counter"]);
  });
});

describe("the alert rules", () => {
  it("read metrics that are served, by labels that they have", () => {
    const faults = rules.map(({ alert, expr }) => [alert, [...faultsOf(expr), ...rateFaults(expr)]] as const);
    expect(faults.filter(([, found]) => found.length > 0)).toEqual([]);
  });

  it("have one name each, a severity, and annotations whose labels the result has", () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const { alert, labels, annotations, expr } of rules) {
      expect(["warning", "critical"], alert).toContain(labels["severity"]);
      expect(Object.keys(annotations).toSorted(), alert).toEqual(["description", "summary"]);
      const named = [
        ...Object.values(annotations)
          .join(" ")
          .matchAll(/\$labels\.(\w+)/g),
      ].map(([, label]) => label);
      const given = readPromql(expr).flatMap(({ grouping }) => grouping);
      expect(named.filter((label = "") => !given.includes(label))).toEqual([]);
    }
  });

  it("tell of what an operator has to know of", () => {
    const read = new Set(rules.flatMap(({ expr }) => readPromql(expr).map(({ name }) => name)));
    for (const name of [
      "pointsman_ready_ranks",
      "pointsman_kv_event_gaps_total",
      "pointsman_prompt_blocks_total",
      "pointsman_errors_total",
      "nodejs_eventloop_lag_p99_seconds",
      "pointsman_index_max_blocks",
      "pointsman_kv_event_problem",
      "pointsman_endpoint_mismatches_total",
    ]) {
      expect(read).toContain(name);
    }
  });
});

describe("the dashboard", () => {
  const targets = () =>
    dashboard.panels.flatMap(({ title, targets = [] }) => targets.map((each) => ({ title, ...each })));

  it("reads metrics that are served, by labels that they have", () => {
    const faults = targets().map(({ title, expr }) => {
      const filled = filledIn(expr);
      return [title, [...faultsOf(filled), ...rateFaults(filled)]] as const;
    });
    expect(faults.filter(([, found]) => found.length > 0)).toEqual([]);
    expect(targets().length).toBeGreaterThan(50);
  });

  it("names lines by labels that they have", () => {
    for (const { title, expr, legendFormat } of targets()) {
      const named = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = ""]) => label);
      const given = readPromql(filledIn(expr)).flatMap(({ grouping }) => grouping);
      expect(
        named.filter((label) => !given.includes(label)),
        title,
      ).toEqual([]);
    }
  });

  it("chooses by variables that are there, whose values come from metrics that are served", () => {
    const names = dashboard.templating.list.map(({ name }) => name);
    const used = new Set([...JSON.stringify(dashboard.panels).matchAll(/\$\{?(\w+)/g)].map(([, name]) => name));
    expect([...used].filter((name = "") => !name.startsWith("__") && !names.includes(name))).toEqual([]);
    for (const { definition } of dashboard.templating.list) {
      const [, selector = "", label = ""] = /^label_values\((.*), (\w+)\)$/.exec(definition ?? "") ?? [];
      if (definition === undefined) continue;
      const [read] = readPromql(filledIn(selector));
      expect([...(metrics.get(read?.name ?? "")?.labels ?? []), ...scrapeLabels]).toContain(label);
    }
  });

  it("has panels of one id each, that do not lie on each other", () => {
    const { panels } = dashboard;
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)}/${y + Math.floor(i / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true);
  });
});
