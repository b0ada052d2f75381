/** What one run of the client measured. */
export interface Figures {
  readonly work: string;
  readonly bodyBytes: number;
  readonly connections: number;
  readonly picks: number;
  readonly failed: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly picksPerSecond: number;
  /** User and system time of the picker per pick, warm-up included. */
  readonly cpuMs: number;
}

/** Reads the client's line of `name=value` pairs. */
export function parseFigures(line: string, cpuMs: number): Figures {
  const value = (name: string) => line.match(new RegExp(`(?:^|[ ])${name}=([^ ]+)`))?.[1] ?? "";
  return {
    work: value("work"),
    bodyBytes: Number(value("body")),
    connections: Number(value("c")),
    picks: Number(value("ok")),
    failed: Number(value("err")) + Number(value("shed")),
    p50Ms: Number(value("p50")),
    p99Ms: Number(value("p99")),
    picksPerSecond: Number(value("picks/s")),
    cpuMs,
  };
}

export function printTable(rows: readonly Figures[]): void {
  const lines = rows.map((row) =>
    [
      row.work,
      row.bodyBytes,
      row.connections,
      row.picks,
      row.failed,
      row.cpuMs.toFixed(2),
      row.p50Ms.toFixed(2),
      row.p99Ms.toFixed(2),
      row.picksPerSecond.toFixed(0),
    ].join(" | "),
  );
  console.log("work | body bytes | connections | picks | failed | CPU ms/pick | p50 ms | p99 ms | picks/s");
  console.log(" --- |".repeat(9).slice(0, -2));
  for (const line of lines) console.log(line);
}
