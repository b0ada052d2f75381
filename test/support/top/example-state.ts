import { readFileSync } from "node:fs";
import type { ConsoleState, ConsoleWorker, ExplainedPick } from "../../../src/surface/admin/index.ts";

const folder = new URL("../../fixtures/admin/", import.meta.url);

/** The example of the console's contract. */
export function exampleState(): ConsoleState {
  return JSON.parse(readFileSync(new URL("state.json", folder), "utf8")) as ConsoleState;
}

/** The example of an explanation. */
export function examplePick(): ExplainedPick {
  return JSON.parse(readFileSync(new URL("pick.json", folder), "utf8")) as ExplainedPick;
}

/** The first worker of the example, under another name. */
export function workerNamed(name: string, at = 0): ConsoleWorker {
  const [worker] = exampleState().workers;
  if (worker === undefined) throw new Error("the example has no worker");
  return { ...worker, id: String(1_000 + at), name };
}
