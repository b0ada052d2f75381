#!/usr/bin/env node
import "./require-node.ts";
import "./v8-settings.ts";
import { program } from "./commands/index.ts";

/** Aborted by SIGTERM or SIGINT; a second one ends the process at once. */
function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const name of ["SIGTERM", "SIGINT"] as const) {
    process.on(name, () => {
      if (stop.signal.aborted) process.exit(1);
      stop.abort();
    });
  }
  return stop.signal;
}

try {
  await program({ process, stopSignal }).parseAsync();
} catch (error) {
  process.stderr.write(`pointsman: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
