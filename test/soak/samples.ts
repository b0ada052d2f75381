import type { Stack } from "./stack.ts";
import type { MemorySample } from "./support/component.ts";
import { allGauges, type Gauges } from "./support/gauges.ts";

/** Everything at one moment. */
export interface SoakSample {
  /** Since the load began, in s. */
  readonly atS: number;
  /** By the name of the process; a shard is `picker-b.1`. */
  readonly processes: Readonly<Record<string, MemorySample>>;
  readonly gauges: Readonly<Record<string, Gauges>>;
  readonly requests: number;
  readonly failures: number;
  readonly underWay: number;
}

/** Samples one program after the other, so that their collections do not come at once. Workers that come and go are left out. */
export async function sampleProcesses(
  stack: Stack,
  passing: ReadonlySet<string>,
): Promise<Pick<SoakSample, "processes" | "gauges">> {
  const processes: Record<string, MemorySample> = {};
  for (const component of stack.components) {
    if (passing.has(component.name)) continue;
    for (const [i, sample] of (await component.sample()).entries()) {
      processes[i === 0 ? component.name : `${component.name}.${i}`] = sample;
    }
  }
  return { processes, gauges: await allGauges(stack) };
}

/** A figure of a process. */
export function figureOf(sample: MemorySample, figure: string): number | undefined {
  const { heap } = sample;
  switch (figure) {
    case "rssBytes":
      return sample.rssBytes;
    case "files":
      return sample.files;
    case "sockets":
      return sample.sockets;
    case "heapUsed":
      return heap?.heapUsed;
    case "arrayBuffers":
      return heap?.arrayBuffers;
    case "threadHeaps":
      return heap?.threadHeaps;
    case "handles":
      return heap && Object.values(heap.handles).reduce((sum, count) => sum + count, 0);
    default:
      throw new RangeError(`no figure ${figure}`);
  }
}
