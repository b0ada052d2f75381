/** What a reader does with one place of a page, in the page's order. */
export type PageStep = PageFile | PageCommand;

/** A fence whose first line is a comment with a file's name: the reader saves it. */
export interface PageFile {
  readonly kind: "file";
  /** Line of the page, the first is 1. */
  readonly line: number;
  readonly name: string;
  readonly text: string;
}

/** A fenced or indented shell block, or a command within a sentence. */
export interface PageCommand {
  readonly kind: "block" | "inline";
  readonly line: number;
  readonly text: string;
  /** What the page shows as its answer. */
  readonly answer?: ShownAnswer;
}

/** The fence right behind a shell block, or what a `console` fence shows behind its commands. */
export interface ShownAnswer {
  readonly language: string;
  readonly text: string;
}

const shells = new Set(["sh", "bash", "shell", "console"]);
const others = new Set(["yaml", "json", "js", "ts", "text", "promql"]);

/** Beginnings of what is a command when it stands in a sentence. */
const inlineCommand =
  /^(?:(?:npx )?pointsman [a-z]|(?:make|npm|node|vitest|kubectl|helm|docker|curl) \S|envoy -|(?:\.\/)?scripts\/\S+\.(?:sh|ts)|\S*\/(?:node|python) \S)/;

/**
 * Finds every command of a Markdown page, and the files that it tells to save.
 * @throws Error naming the line of a fence that does not say what it holds
 */
export function readPageSteps(markdown: string): readonly PageStep[] {
  const lines = markdown.split("\n");
  const steps: PageStep[] = [];
  /** Line behind the last shell block: a fence that begins there shows its answer. */
  let answerLine = -1;
  for (let i = 0; i < lines.length; ) {
    const block = blockAt(lines, i);
    if (block === undefined) {
      steps.push(...inlineCommands(lines[i] ?? "", i + 1));
      i++;
      continue;
    }
    const last = steps.at(-1);
    if (i === answerLine && last?.kind === "block" && !shells.has(block.language)) {
      steps[steps.length - 1] = { ...last, answer: { language: block.language, text: block.text } };
    } else {
      steps.push(...stepsOf(block, i + 1));
      if (shells.has(block.language)) answerLine = block.end;
    }
    i = block.end;
  }
  return steps;
}

interface Block {
  readonly language: string;
  readonly text: string;
  /** Index of the line behind it. */
  readonly end: number;
}

function blockAt(lines: readonly string[], start: number): Block | undefined {
  return fenceAt(lines, start) ?? indentedAt(lines, start);
}

function fenceAt(lines: readonly string[], start: number): Block | undefined {
  const [, indent = "", ticks, language = ""] = /^( *)(`{3,})(\S*)/.exec(lines[start] ?? "") ?? [];
  if (ticks === undefined) return undefined;
  if (!shells.has(language) && !others.has(language)) {
    throw new Error(`line ${start + 1}: the fence says "${language}": sh for commands, text for what is none`);
  }
  const close = lines.findIndex((line, i) => i > start && line.trim() === ticks);
  if (close < 0) throw new Error(`line ${start + 1}: the fence has no end`);
  const inside = lines
    .slice(start + 1, close)
    .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line));
  return { language, text: `${inside.join("\n")}\n`, end: close + 1 };
}

/** Four spaces behind an empty line, but not within a list: always a shell block in this manual. */
function indentedAt(lines: readonly string[], start: number): Block | undefined {
  if (!/^ {4}\S/.test(lines[start] ?? "") || (lines[start - 1] ?? "").trim() !== "") return undefined;
  const before = lines.slice(0, start).findLast((line) => /^ {0,3}\S/.test(line)) ?? "";
  if (/^ {0,3}(?:[-*+]|\d+\.) /.test(before)) return undefined;
  let end = start;
  for (let i = start; i < lines.length && /^(?: {4}.*|\s*)$/.test(lines[i] ?? ""); i++) {
    if ((lines[i] ?? "").trim() !== "") end = i + 1;
  }
  const inside = lines.slice(start, end).map((line) => line.slice(4));
  return { language: "sh", text: `${inside.join("\n")}\n`, end };
}

function stepsOf({ language, text }: Block, line: number): readonly PageStep[] {
  if (language === "console") return [consoleCommand(text, line)];
  if (shells.has(language)) return [{ kind: "block", line, text }];
  if (language === "text" && inlineCommand.test(text))
    throw new Error(`line ${line}: text that begins as a command: say sh`);
  const [, name] = /^(?:#|\/\/) (\S+\.[a-z]+)$/m.exec(text.split("\n", 1)[0] ?? "") ?? [];
  return name === undefined ? [] : [{ kind: "file", line, name, text }];
}

/** Lines behind `$ ` are commands, those behind the last of them its answer. */
function consoleCommand(text: string, line: number): PageCommand {
  const lines = text.split("\n");
  const commands = lines.filter((each) => each.startsWith("$ ")).map((each) => each.slice(2));
  const shown = lines.slice(lines.findLastIndex((each) => each.startsWith("$ ")) + 1).join("\n");
  const command: PageCommand = { kind: "block", line, text: `${commands.join("\n")}\n` };
  return shown.trim() === "" ? command : { ...command, answer: { language: "text", text: shown } };
}

function inlineCommands(line: string, number: number): readonly PageCommand[] {
  const codes = [...line.matchAll(/(?<!`)`([^`]+)`(?!`)/g)].map(([, code = ""]) => code);
  return codes
    .filter((code) => inlineCommand.test(code))
    .map((code) => ({ kind: "inline", line: number, text: `${code}\n` }));
}
