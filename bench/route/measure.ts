import { readFileSync } from "node:fs";
import { RawClient, type ServerAddress } from "./raw-client.ts";

const clockTicksPerSecond = 100;

/** A server that is measured. */
export interface Target {
  readonly name: string;
  readonly pid: number;
  readonly address: ServerAddress;
}

/** What some requests took. */
export interface Figures {
  /** From the first byte sent to the last byte received, ascending, ms. */
  readonly latenciesMs: readonly number[];
  /** User and system time of the server, ms. */
  readonly cpuMs: number;
  readonly wallMs: number;
}

/** Sends all requests over so many connections, each connection one at a time. @throws Error for an answer that is no 2xx */
export async function measure(target: Target, requests: readonly Buffer[], connections: number): Promise<Figures> {
  const clients = await Promise.all(Array.from({ length: connections }, () => RawClient.connect(target.address)));
  const latenciesMs: number[] = [];
  let next = 0;
  const run = async (client: RawClient): Promise<void> => {
    for (let request = requests[next++]; request !== undefined; request = requests[next++]) {
      const start = performance.now();
      const status = await client.send(request);
      latenciesMs.push(performance.now() - start);
      if (status >= 300) throw new Error(`${target.name} answered ${status}: ${client.lastBody.slice(0, 200)}`);
    }
  };
  const cpuBefore = cpuMs(target.pid);
  const start = performance.now();
  try {
    await Promise.all(clients.map(run));
  } finally {
    for (const client of clients) client.close();
  }
  const wallMs = performance.now() - start;
  return { latenciesMs: latenciesMs.toSorted((a, b) => a - b), cpuMs: cpuMs(target.pid) - cpuBefore, wallMs };
}

/** Several measurements as one. */
export function joined(all: readonly Figures[]): Figures {
  return {
    latenciesMs: all.flatMap(({ latenciesMs }) => latenciesMs).sort((a, b) => a - b),
    cpuMs: all.reduce((sum, each) => sum + each.cpuMs, 0),
    wallMs: all.reduce((sum, each) => sum + each.wallMs, 0),
  };
}

/** A line for people. */
export function figuresLine(name: string, { latenciesMs, cpuMs: cpu, wallMs }: Figures): string {
  const count = latenciesMs.length;
  const at = (part: number) => (latenciesMs[Math.min(count - 1, Math.floor(part * count))] ?? Number.NaN).toFixed(3);
  const perSecond = Math.round((1000 * count) / wallMs);
  return `${name.padEnd(46)} p50 ${at(0.5)} ms  p99 ${at(0.99)} ms  ${String(perSecond).padStart(6)}/s  CPU ${(cpu / count).toFixed(3)} ms`;
}

export function median({ latenciesMs }: Figures): number {
  return latenciesMs[latenciesMs.length >>> 1] ?? Number.NaN;
}

/** User and system time of a process so far, ms. */
function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / clockTicksPerSecond;
}
