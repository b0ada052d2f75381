import { exit, stderr, versions } from "node:process";
import { nodeProblem } from "./node-version.ts";

// Imported before all others: packages break in their own words on a Node.js that is too old for them.
const problem = nodeProblem(versions.node);
if (problem !== undefined) {
  stderr.write(`pointsman: ${problem}\n`);
  exit(1);
}
