import { spawnSync } from "node:child_process";

/** Cuts a block into its commands, as an interactive bash takes them line by line. @throws Error when the last one has no end */
export function statementsOf(block: string): readonly string[] {
  const statements: string[] = [];
  let open = "";
  for (const line of block.split("\n")) {
    if (open === "" && /^\s*(?:#.*)?$/.test(line)) continue;
    open += `${line}\n`;
    if (!isComplete(open)) continue;
    statements.push(open);
    open = "";
  }
  if (open !== "") throw new Error(`no shell reads this as a command:\n${open}`);
  return statements;
}

function isComplete(text: string): boolean {
  if (text.endsWith("\\\n")) return false;
  // An unfinished here-document is a warning only.
  const { status, stderr } = spawnSync("bash", ["-n"], { input: text, encoding: "utf8" });
  return status === 0 && stderr === "";
}

/** Whether the command goes on in the background by itself. */
export function isInBackground(statement: string): boolean {
  return /[^&]&\s*(?:#.*)?\s*$/.test(statement);
}

const servers = [
  /^(?:npx )?(?:pointsman|\S*node dist\/main\.js) (?:serve|sim-worker)\b/,
  /^\S*envoy -/,
  /^\S*(?:redis|valkey)-server\b/,
  // Events without an end.
  /^curl -\w*N \S*\/events\b/,
];

/** Whether the command is one that runs until it is stopped. */
export function isServer(statement: string): boolean {
  return servers.some((server) => server.test(statement)) && !/ --(?:help|version|mode validate)\b/.test(statement);
}

/** What servers say when they can be used, and the first of events without an end. */
export const readyLine =
  /^data:|is ready"|simulated worker listens|starting main dispatch loop|eady to accept connections/m;
