import { getPriority } from "node:os";
import { Worker } from "node:worker_threads";
import { describe, expect, it } from "vitest";

const module = JSON.stringify(new URL("../../../src/commands/thread-priority.ts", import.meta.url));

/** Lowers a thread's priority and tells what it then is, and what that of a thread started by it is. */
function priorityOfThread(...steps: readonly number[]): Promise<number> {
  const code = `
    import { readlinkSync } from "node:fs";
    import { getPriority } from "node:os";
    import { parentPort } from "node:worker_threads";
    import { yieldToOtherThreads } from ${module};
    for (const niceness of ${JSON.stringify(steps)}) yieldToOtherThreads(niceness);
    parentPort.postMessage(getPriority(Number(readlinkSync("/proc/thread-self").split("/").at(-1))));`;
  const thread = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`));
  return new Promise((resolve, reject) => {
    thread.once("message", resolve).once("error", reject);
  });
}

// The system knows no lower priority than 19.
const mostOwn = 15;

describe("the priority of a thread", () => {
  it("can be told from a lower one here", () => {
    expect(getPriority(), "the niceness that the tests are run with").toBeLessThanOrEqual(mostOwn);
  });

  it("is lowered for that thread alone", async () => {
    const own = getPriority();
    await expect(priorityOfThread(own + 3)).resolves.toBe(own + 3);
    expect(getPriority()).toBe(own);
  });

  it("is never raised", async () => {
    const own = getPriority();
    await expect(priorityOfThread(own + 4, own + 2)).resolves.toBe(own + 4);
  });

  it("stays as it is with 0", async () => {
    await expect(priorityOfThread(0)).resolves.toBe(getPriority());
  });
});
