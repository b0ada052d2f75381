import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { untilHolds } from "../../framework/until-holds.ts";
import { type ParsedMessage, parseAll } from "./strict-parser.ts";

/**
 * Writes bytes to a connection of their own, in pieces.
 * @param expected answers to wait for, if the connection does not end before
 * @returns what came back until it ended
 */
export async function exchange(
  address: string,
  bytes: Buffer,
  cuts: readonly number[],
  expected: number,
): Promise<Buffer> {
  const [host = "", port = ""] = address.split(":");
  const socket = connect({ host, port: Number(port), noDelay: true });
  const received: Buffer[] = [];
  let isClosed = false;
  socket.on("data", (chunk: Buffer) => received.push(chunk));
  socket.on("error", () => undefined);
  socket.on("close", () => {
    isClosed = true;
  });
  await once(socket, "connect");
  let at = 0;
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    if (cut <= at || cut >= bytes.length || isClosed) continue;
    socket.write(bytes.subarray(at, cut));
    at = cut;
    await pause(1);
  }
  if (!isClosed) socket.write(bytes.subarray(at));
  const count = () => finalAnswers(Buffer.concat(received)).length;
  await untilHolds(
    () => isClosed || count() >= expected,
    () => `${count()} answers to ${expected} requests`,
  );
  socket.end();
  await untilHolds(
    () => isClosed,
    () => "the connection did not end",
  );
  return Buffer.concat(received);
}

/** How many requests may count on an answer: what comes behind one that offers an upgrade Node takes for the other protocol's. */
export function answerable(sent: readonly ParsedMessage[]): number {
  const upgrade = sent.findIndex(({ headers }) => headers.some(([name]) => name === "upgrade"));
  return upgrade < 0 ? sent.length : upgrade + 1;
}

/** Answers but those that only say to go on. */
export function finalAnswers(bytes: Buffer): readonly ParsedMessage[] {
  return parseAll(bytes, "answer").messages.filter(({ line }) => !/^HTTP\/1\.. 1/.test(line));
}

/** Answers are HTTP by the letter, at most one for each request and one for what follows them, and no fault of the server's own. */
export function checkAnswers(answers: Buffer, requests: number): void {
  const { messages, rest } = parseAll(answers, "answer");
  assert.ok(rest === "none" || rest === "incomplete", `answers are HTTP by the letter: ${rest}`);
  const final = finalAnswers(answers);
  assert.ok(final.length <= requests + 1, `${final.length} answers to ${requests} requests`);
  for (const { line } of messages) assert.doesNotMatch(line, /^HTTP\/1\.. 5(?!01|05)/, "no fault of the server's own");
}
