import { isLoopback } from "./address.ts";
import type { Report } from "./report.ts";
import type { Config } from "./schema.ts";

/** Most points of the history. */
const maxPoints = 7_200;

/** The checks of the console. */
export function checkAdmin({ admin }: Config, report: Report): void {
  const { listen, tokenFile, tokenHashes, historyMinutes, historyIntervalMs, maxReaders, maxConnections } = admin;
  if (tokenFile === undefined && tokenHashes === undefined && !isLoopback(listen)) {
    report(
      ["admin", "tokenFile"],
      `it or admin.tokenHashes is needed: admin.listen (${listen}) is not a loopback address`,
      undefined,
    );
  }
  if ((historyMinutes * 60_000) / historyIntervalMs > maxPoints) {
    const least = Math.ceil((historyMinutes * 60_000) / maxPoints);
    report(
      ["admin", "historyIntervalMs"],
      `expected at least ${least} with admin.historyMinutes (${historyMinutes})`,
      historyIntervalMs,
    );
  }
  if (maxReaders >= maxConnections) {
    // Readers keep theirs: nobody else could ask for anything.
    report(["admin", "maxReaders"], `expected less than admin.maxConnections (${maxConnections})`, maxReaders);
  }
}
