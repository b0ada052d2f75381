import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { noPick, shardAnswer } from "../../../../src/commands/console/shard-answers.ts";
import { ToldReading } from "../../../../src/commands/console/state-lines.ts";
import type { ConsoleSource } from "../../../../src/surface/admin/index.ts";
import { pickOf, readingOf, readState, stateOf } from "../../../support/console/states.ts";

const source: ConsoleSource = {
  state: async () => readingOf(stateOf()),
  picks: async () => [pickOf("3")],
  explain: async (id, shownAs) => (id === "3" ? [`{"id":"${shownAs}"`, "}"] : undefined),
};

const turns = { isSpent: true, nextTurn: () => Promise.resolve() };

function logged() {
  const lines: object[] = [];
  return { lines, log: { error: (fields: object) => void lines.push(fields) } };
}

it.each([
  { question: { about: "picks", limit: 5, requestId: undefined } as const, answer: JSON.stringify([pickOf("3")]) },
  { question: { about: "pick", id: "3", shownAs: "1-3" } as const, answer: '{"id":"1-3"}' },
  { question: { about: "pick", id: "4", shownAs: "1-4" } as const, answer: noPick },
])("a shard answers what is asked about: $question", async ({ question, answer }) => {
  const { lines, log } = logged();
  expect(await text(shardAnswer(source, question, log, turns))).toBe(answer);
  expect(lines).toEqual([]);
});

it("a shard tells its state in lines, of which all can be read", async () => {
  const pieces = await Array.fromAsync(shardAnswer(source, { about: "state" }, logged().log, turns));
  expect(readState(new ToldReading(pieces))).toEqual(JSON.parse(JSON.stringify(stateOf())));
});

it("a state of which the end is missing is none", () => {
  const reading = new ToldReading(['{"kind":"history","name":"picks","value":[1]}\n']);
  expect(() => readState(reading)).toThrow("has no end");
});

it("a shard logs why it cannot answer", async () => {
  const { lines, log } = logged();
  const broken = { ...source, state: () => Promise.reject(new Error("broken")) };
  await expect(text(shardAnswer(broken, { about: "state" }, log, turns))).rejects.toThrow("broken");
  expect(lines).toEqual([{ err: new Error("broken"), about: "state" }]);
});
