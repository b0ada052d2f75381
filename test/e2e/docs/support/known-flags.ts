// Usage: node known-flags.ts COMMAND...   Ends with 1 when a script of COMMAND is not there or does not know one of its flags. Runs nothing.
import { existsSync, readFileSync } from "node:fs";

const scripts = (JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> }).scripts;
const [program = "", ...words] = process.argv.slice(2);

const isNpm = program === "npm";
const script = isNpm ? (scripts[words[1] ?? ""] ?? "") : words.join(" ");
if (isNpm && script === "") fault(`package.json has no script ${words[1]}`);
// A script that only calls a program, such as vitest, has none.
const file = /\S+\.(?:ts|py)\b/.exec(script)?.[0] ?? "package.json";
if (!existsSync(file)) fault(`there is no ${file}`);
const source = readFileSync(file, "utf8");
for (const flag of words.filter((word) => /^--\w/.test(word))) {
  const name = flag.slice(2).split("=")[0] ?? "";
  if (!new RegExp(`^\\s+"?${name}"?: \\{ type:|[{,] "?${name}"?: \\{ type:`, "m").test(source))
    fault(`${file} has no ${flag}`);
}

function fault(text: string): never {
  console.error(text);
  process.exit(1);
}
