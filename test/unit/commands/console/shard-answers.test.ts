import { text } from "node:stream/consumers";
import { expect, it } from "vitest";
import { shardAnswer } from "../../../../src/commands/console/shard-answers.ts";
import type { ConsoleSource } from "../../../../src/surface/admin/index.ts";
import { pickOf, stateOf } from "../../../support/console/states.ts";

const source: ConsoleSource = {
  state: async () => stateOf(),
  picks: async () => [pickOf("3")],
  explain: async () => undefined,
};

function logged() {
  const lines: object[] = [];
  return { lines, log: { error: (fields: object) => void lines.push(fields) } };
}

it.each([
  { question: { about: "state" } as const, answer: stateOf() },
  { question: { about: "picks", limit: 5, requestId: undefined } as const, answer: [pickOf("3")] },
  { question: { about: "pick", id: "4" } as const, answer: null },
])("a shard answers what is asked about: $question.about", async ({ question, answer }) => {
  const { lines, log } = logged();
  expect(JSON.parse(await text(shardAnswer(source, question, log)))).toEqual(JSON.parse(JSON.stringify(answer)));
  expect(lines).toEqual([]);
});

it("a shard logs why it cannot answer", async () => {
  const { lines, log } = logged();
  const broken = { ...source, state: () => Promise.reject(new Error("broken")) };
  await expect(text(shardAnswer(broken, { about: "state" }, log))).rejects.toThrow("broken");
  expect(lines).toEqual([{ err: new Error("broken"), about: "state" }]);
});
