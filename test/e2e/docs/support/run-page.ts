import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Elsewhere, elsewhere } from "../elsewhere.ts";
import { filledIn, withStandIns } from "../stand-ins.ts";
import { PageFolder, root } from "./page-folder.ts";
import { PageShell, type Ran } from "./page-shell.ts";
import { type PageCommand, readPageSteps } from "./page-steps.ts";
import { differenceFrom } from "./shown-answer.ts";
import { statementsOf } from "./statements.ts";

/** A page that is as good as broken is left after so many faults. */
const maxFaults = 3;

/** A subcommand with nothing that it could work on. */
const namedSubcommand = /^(?:npx pointsman|pointsman|node dist\/main\.js) ([a-z-]+)((?: --[a-z-]+)*)$/;

/** A page as it is in the repository. */
export function readPage(page: string): string {
  return readFileSync(join(root, page), "utf8");
}

/** Does what a page says, from its top to its end, in a folder and a terminal of its own. Returns what went wrong, by line. */
export async function runPage(page: string, text = readPage(page)): Promise<readonly string[]> {
  const folder = await PageFolder.make();
  const shell = await PageShell.start(folder);
  const faults: string[] = [];
  try {
    const given = join(root, "test/e2e/docs/given", page.replace(/\.md$/, ".sh"));
    if (existsSync(given)) {
      const command: PageCommand = { kind: "block", line: 0, text: readFileSync(given, "utf8") };
      faults.push(...(await runCommand(command, shell)));
    }
    for (const step of readPageSteps(withStandIns(text))) {
      if (faults.length >= maxFaults) break;
      if (step.kind === "file") await folder.write(step.name, step.text);
      else faults.push(...(await runCommand(step, shell)));
    }
  } catch (error) {
    faults.push(String(error));
  } finally {
    await shell.close();
    await folder.remove();
  }
  return faults.map((fault) => `${page}${fault}\n(what a page has to observe: test/e2e/docs/README.md)`);
}

async function runCommand(command: PageCommand, shell: PageShell): Promise<readonly string[]> {
  const faults: string[] = [];
  let last: Ran | undefined;
  for (const statement of statementsOf(command.text)) {
    last = await shell.run(command.kind === "inline" ? inlineShell(statement) : insteadOf(statement));
    const fault = faultOf(last);
    if (fault === undefined) continue;
    faults.push(`:${command.line}: ${statement.trim()}\n${fault}`);
    break;
  }
  const difference = command.answer && last && faults.length === 0 && differenceFrom(command.answer, last.stdout);
  if (typeof difference === "string") faults.push(`:${command.line}: the page shows another answer: ${difference}`);
  await shell.serversReady().catch((error: unknown) => faults.push(`:${command.line}: ${String(error)}`));
  await shell.endForeground();
  return faults;
}

function faultOf({ exitCode, stdout, stderr }: Ran): string | undefined {
  const isRefused = /^HTTP [45]\d\d$/m.test(stderr);
  if (exitCode === 0 && !isRefused) return undefined;
  return `exit code ${exitCode}\n${stdout.slice(-3_000)}\n${stderr.slice(-3_000)}`;
}

/** A command within a sentence: what it names, where it has no values; else it is run with everything filled in. */
function inlineShell(statement: string): string {
  const [, subcommand, flags = ""] = namedSubcommand.exec(statement.trim()) ?? [];
  if (subcommand !== undefined) return namingShell(subcommand, flags);
  if (/^(?:\.\/)?scripts\/\S+$/.test(statement.trim())) return `test -f ${statement}`;
  if (/^(?:kubectl|helm) [a-z-]+(?: -\w)?$/.test(statement.trim()))
    return `${statement.trim().replace(/ -\w$/, "")} --help\n`;
  return insteadOf(filledIn(statement));
}

function namingShell(subcommand: string, flags: string): string {
  const looks = flags.split(" ").filter((flag) => flag !== "");
  const help = `pointsman help ${subcommand} >help.txt`;
  return `${[help, `grep -q "^Usage: pointsman ${subcommand}" help.txt`, ...looks.map((flag) => `grep -qE -e "^ +${flag}( |$)" help.txt`)].join(" && ")}\n`;
}

function insteadOf(statement: string): string {
  const line = oneLine(statement);
  const entry = elsewhere.find((each) => isMatch(each, line));
  return entry === undefined ? statement : `( set -e\n${entry.instead(line)}\n)\n`;
}

/** Whether the list is about this command. @param line as {@link oneLine} makes it */
export function isMatch({ command }: Elsewhere, line: string): boolean {
  return typeof command === "string" ? command === line : command.test(line);
}

/** A command without its comment, line ends and superfluous spaces. */
export function oneLine(statement: string): string {
  return statement
    .replaceAll("\\\n", " ")
    .replace(/\s+#.*\n$/, "")
    .replaceAll(/\s+/g, " ")
    .trim();
}

/** Every command of a page as the list would have it. */
export function commandLines(page: string): readonly string[] {
  const steps = readPageSteps(withStandIns(readPage(page)));
  return steps.flatMap((step) =>
    step.kind === "file"
      ? []
      : statementsOf(step.text).map((each) => oneLine(step.kind === "inline" ? filledIn(each) : each)),
  );
}
