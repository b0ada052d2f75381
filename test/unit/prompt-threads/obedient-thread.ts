// Runs as a thread in tests: does with a job what its path says.
import { parentPort } from "node:worker_threads";
import type { JobAnswer, PreparedMessage, ToThread } from "../../../src/prompt-threads/index.ts";

if (parentPort === null) throw new Error("this file runs as a thread");
const port = parentPort;
let states = 0;
const held: number[] = [];

function answerOf(job: number, body: Uint8Array): JobAnswer {
  const prepared: PreparedMessage = {
    api: "chat",
    modelName: "m",
    promptTokens: body.length,
    hashes: undefined,
    bodyEdit: undefined,
    // What the thread was told before, for the test to see.
    loadOnlyReason: `${states} states`,
    demands: { constraints: {}, overrides: undefined },
    prompt: {
      tokenIds: Uint32Array.from(body),
      injectable: true,
      batch: undefined,
      inexactReason: undefined,
      isDeferred: false,
      promptHead: undefined,
    },
  };
  return { kind: "prepared", job, prepared };
}

port.on("message", (message: ToThread) => {
  if (message.kind === "cancel") {
    port.postMessage({ kind: "cancelled", job: message.job } satisfies JobAnswer);
    return;
  }
  if (message.kind !== "prepare") {
    states++;
    return;
  }
  const { job, path, body } = message;
  switch (path) {
    case "/hold":
      held.push(job);
      return;
    case "/release":
      for (const other of held.splice(0)) port.postMessage(answerOf(other, new Uint8Array(1)));
      port.postMessage(answerOf(job, body));
      return;
    case "/throw":
      throw new Error("planted");
    case "/exit":
      process.exit(3);
      return;
    case "/stuck":
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
      return;
    case "/fault":
      port.postMessage({ kind: "failed", job, fault: "TypeError at planted" } satisfies JobAnswer);
      return;
    case "/refuse":
      port.postMessage({
        kind: "refused",
        job,
        refusal: { message: "no", code: "invalid_request", field: "f", retryAfterSeconds: undefined },
      } satisfies JobAnswer);
      return;
    default:
      port.postMessage(answerOf(job, body));
  }
});
