import { randomInt } from "node:crypto";
import { parseArgs } from "node:util";
import { compareTemplates } from "./compare-templates.ts";
import { templateNames } from "./template-models.ts";

const { values } = parseArgs({
  options: {
    /** Makes the same bodies again. Default: another one each time. */
    seed: { type: "string" },
    /** How many bodies each template is asked about. */
    bodies: { type: "string", default: "40" },
    /** Share of bodies that are changed at one place or more. */
    spoilt: { type: "string", default: "0.1" },
    /** Index of the first one, to look at a single body again. */
    first: { type: "string", default: "0" },
    /** Part of the names of templates. Default: all. */
    only: { type: "string", default: "" },
    /** How many unexplained differences of a template are made small and printed. */
    details: { type: "string", default: "2" },
  },
});
const seed = values.seed === undefined ? randomInt(2 ** 32) : Number(values.seed);
const names = templateNames().filter((name) => name.includes(values.only));
const options = {
  seed,
  first: Number(values.first),
  bodies: Number(values.bodies),
  spoilt: Number(values.spoilt),
  details: Number(values.details),
};

console.log(`seed ${seed}: ${options.bodies} bodies for each of ${names.length} templates`);
let unexplained = 0;
for await (const { name, equal, differences, details } of compareTemplates(names, options)) {
  console.log(`${name}: ${equal} of ${options.bodies} equal`);
  for (const detail of details) console.log(`  ${detail}`);
  unexplained += differences;
}
console.log(`${unexplained} unexplained differences (seed ${seed})`);
process.exitCode = unexplained === 0 ? 0 : 1;
