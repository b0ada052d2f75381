import type { z } from "zod";
import { nearestWord } from "./nearest-word.ts";
import type { Override } from "./overrides.ts";
import { type Setting, settingTree } from "./setting-tree.ts";

/** The schema's findings as lines for people: `extProc.tls.mode: expected one of self-signed, files, off; got "of"`. */
export function problemLines(issues: readonly z.core.$ZodIssue[], overrides: readonly Override[]): readonly string[] {
  const origins = new Map(overrides.map(({ path, origin }) => [path, origin]));
  return issues.flatMap((issue) => {
    const path = pathText(issue.path);
    // An entry of a list came with the list.
    const origin = origins.get(path.replace(/(\[\d+\])+$/, ""));
    const place = origin === undefined ? path || "configuration" : `${path} (from ${origin})`;
    if (issue.code === "unrecognized_keys") return issue.keys.map((key) => unknownKey(issue.path, key));
    return [`${place}: ${expectation(issue)}${got(issue.input)}`];
  });
}

/** `workers[2].endpoint` */
function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    return text === "" ? String(part) : `${text}.${String(part)}`;
  }, "");
}

function unknownKey(parent: readonly PropertyKey[], key: string): string {
  const sibling = nearestWord(
    key,
    childrenAt(parent).map((setting) => lastPart(setting.path)),
  );
  const meant = sibling === undefined ? (settingElsewhere(key) ?? nested(key)) : pathText([...parent, sibling]);
  return `${pathText([...parent, key])}: no such setting${meant === undefined ? "" : ` (did you mean ${meant}?)`}`;
}

/** The settings inside the section or list entry at `path`. */
function childrenAt(path: readonly PropertyKey[]): readonly Setting[] {
  return path
    .filter((part) => typeof part !== "number")
    .reduce<readonly Setting[]>(
      (settings, part) => settings.find((setting) => lastPart(setting.path) === part)?.children ?? [],
      settingTree(),
    );
}

/** The path of the only setting with this name, wherever it is: `listen` has several, `pickDeadlineMs` has one. */
function settingElsewhere(key: string): string | undefined {
  const same = everyPath().filter((path) => lastPart(path) === key);
  return same.length === 1 ? same[0] : undefined;
}

/** How a path is written in a file, for a key that is one: `log.levle` as "log: { level: ... }". */
function nested(key: string): string | undefined {
  if (!key.includes(".")) return undefined;
  const path = nearestWord(key, everyPath());
  if (path === undefined || path.includes("[]")) return undefined;
  const [last = "", ...sections] = path.split(".").toReversed();
  return sections.reduce((inner, section) => `${section}: { ${inner} }`, `${last}: ...`);
}

function everyPath(settings: readonly Setting[] = settingTree()): readonly string[] {
  return settings.flatMap((setting) => [setting.path, ...everyPath(setting.children)]);
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf(".") + 1);
}

function expectation(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_value":
      return `expected one of ${issue.values.join(", ")}`;
    case "invalid_type":
      return wrongType(issue.expected, issue.input);
    case "too_small":
      return issue.origin === "string" ? "expected a text that is not empty" : `expected at least ${issue.minimum}`;
    case "too_big":
      return `expected at most ${issue.maximum}`;
    case "invalid_format":
      return issue.format === "starts_with" ? `expected a text that starts with "/"` : issue.message;
    default:
      return issue.message;
  }
}

function wrongType(expected: string, value: unknown): string {
  const type = typeNames[expected] ?? expected;
  if (value === undefined) return `needed, ${type}`;
  // A number where a text belongs, such as a worker's id, lost its digits already if it was long.
  return expected === "string" && typeof value === "number" ? `expected ${type} in quotes` : `expected ${type}`;
}

const typeNames: Readonly<Record<string, string>> = {
  int: "a whole number",
  number: "a number",
  object: "a section",
  array: "a list",
  record: "a section",
  string: "a text",
  boolean: "true or false",
};

function got(value: unknown): string {
  if (value === undefined) return "";
  const text = typeof value === "number" ? String(value) : (JSON.stringify(value) ?? typeof value);
  return `; got ${text.length > 80 ? `${text.slice(0, 77)}...` : text}`;
}
