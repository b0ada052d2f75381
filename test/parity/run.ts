import { parseArgs } from "node:util";
import { compareModel, type Outcome } from "./compare.ts";
import { availableModels, expectations } from "./expectations.ts";

const { values } = parseArgs({ options: { failures: { type: "boolean", default: false } } });

const expected = expectations();
let isAnyFailed = false;
for (const model of availableModels(expected.keys())) {
  const outcomes = await compareModel(model, expected.get(model.name) ?? new Map());
  report(model.name, outcomes);
  isAnyFailed ||= outcomes.some((outcome) => !outcome.isPassed);
}
if (isAnyFailed && !values.failures) console.log("--failures names the failed cases");
process.exitCode = isAnyFailed ? 1 : 0;

function report(model: string, outcomes: readonly Outcome[]): void {
  const groups = Map.groupBy(outcomes, (outcome) => outcome.group);
  console.log(`\n${model}\npassed failed  group`);
  for (const [group, members] of groups) printCount(group, members);
  printCount(`total, ${model}`, outcomes);
  if (!values.failures) return;
  for (const { name, isPassed, difference } of outcomes)
    if (!isPassed) console.log(`  ${model} ${name}: ${difference}`);
}

function printCount(label: string, outcomes: readonly Outcome[]): void {
  const passed = outcomes.filter((outcome) => outcome.isPassed).length;
  console.log(`${String(passed).padStart(6)} ${String(outcomes.length - passed).padStart(6)}  ${label}`);
}
