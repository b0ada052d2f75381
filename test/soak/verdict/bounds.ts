import type { GrowthBound } from "./growth.ts";

const MiB = 1_048_576;

/** The figures of a process whose growth is judged. */
export const judgedFigures = [
  "rssBytes",
  "heapUsed",
  "arrayBuffers",
  "threadHeaps",
  "files",
  "sockets",
  "handles",
] as const;
export type JudgedFigure = (typeof judgedFigures)[number];

/**
 * How much each may grow in the time after the warm-up. Over half an hour and more what grows is a leak: one of 100 bytes a request shows in the heap
 * (20 minutes are some 14,000 requests, of which a process sees a few thousand), one of 1 KB a request is over the bound. Memory as the system counts it breathes with what the allocator keeps.
 */
export const longBounds: Readonly<Record<JudgedFigure, GrowthBound>> = {
  rssBytes: { most: 12 * MiB, share: 0.08 },
  heapUsed: { most: 2 * MiB, share: 0.04 },
  arrayBuffers: { most: 4 * MiB, share: 0.1 },
  threadHeaps: { most: 8 * MiB, share: 0.1 },
  files: { most: 6, share: 0.1 },
  sockets: { most: 6, share: 0.1 },
  handles: { most: 8, share: 0.1 },
};

/** A third of the time is for caches and compiled code to grow. In s. */
export function warmUpS(minutes: number): number {
  return minutes * 20;
}

/** Below this many minutes memory is reported and not judged: what a process takes to warm up is most of what is measured. */
export const leastMinutesJudged = 3;

/** In a few minutes caches and compiled code still grow, and a busy machine lets requests pile up: only what runs away is found. */
export const shortBounds: Readonly<Record<JudgedFigure, GrowthBound>> = {
  rssBytes: { most: 80 * MiB, share: 0.5 },
  heapUsed: { most: 24 * MiB, share: 0.5 },
  arrayBuffers: { most: 32 * MiB, share: 1 },
  threadHeaps: { most: 64 * MiB, share: 1 },
  files: { most: 48, share: 0.5 },
  sockets: { most: 48, share: 0.5 },
  handles: { most: 64, share: 0.5 },
};
