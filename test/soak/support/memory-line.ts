/** What the line on stderr begins with in which a process of a soak tells its memory. */
export const memoryLineStart = "soak-memory ";

/** What a process holds after a full collection, in bytes. */
export interface TellingOfMemory {
  readonly pid: number;
  readonly heapUsed: number;
  readonly external: number;
  readonly arrayBuffers: number;
  /** Heaps of all threads, together. */
  readonly threadHeaps: number;
  /** Active resources (sockets, timers, ...) by kind. */
  readonly handles: Readonly<Record<string, number>>;
}

/** What the line tells; undefined when it is another line. */
export function readMemoryLine(line: string): TellingOfMemory | undefined {
  const at = line.indexOf(memoryLineStart);
  return at < 0 ? undefined : (JSON.parse(line.slice(at + memoryLineStart.length)) as TellingOfMemory);
}
