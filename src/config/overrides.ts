import { nearestWord } from "./nearest-word.ts";
import { environmentName, type Setting, sectionLists, settableSettings } from "./setting-tree.ts";

/** A setting given outside of the file. */
export interface Override {
  readonly path: string;
  readonly value: unknown;
  /** Where it was given, for messages: `POINTSMAN_LOG_LEVEL`, `--set`. */
  readonly origin: string;
}

/** A setting that a flag of its own gives. */
export interface FlagSetting {
  /** For messages: `--pool-name`. */
  readonly flag: string;
  readonly path: string;
  readonly text: string;
}

/** The command line's part of the configuration. */
export interface ConfigFlags {
  /** Flags that stand for settings; `set` wins over them. */
  readonly aliases?: readonly FlagSetting[] | undefined;
  /** `a.b=c`, each; the last of one setting wins. */
  readonly set?: readonly string[] | undefined;
  /** `--listen`: the same as `--set extProc.listen=...`. */
  readonly listen?: string | undefined;
  /** `--log-level`: the same as `--set log.level=...`. */
  readonly logLevel?: string | undefined;
}

/** Variables that are ours and name no setting: the path of the configuration file, and what `pointsman top` shows the console. */
const otherVariables = new Set(["POINTSMAN_CONFIG", "POINTSMAN_CONSOLE_TOKEN"]);

/**
 * Kubernetes puts such variables into every pod beside a Service whose name starts with `pointsman`.
 * Source: kubernetes.io/docs/concepts/services-networking/service/#environment-variables
 */
const serviceVariable =
  /^POINTSMAN(_[A-Z0-9_]+)?_(SERVICE_(HOST|PORT)(_[A-Z0-9_]+)?|PORT_\d+_(TCP|UDP|SCTP)(_[A-Z]+)?)$/;
const serviceLink = /^(tcp|udp|sctp):\/\//;

/** What was given, and what of it names no setting. */
export interface Overrides {
  readonly overrides: readonly Override[];
  readonly problems: readonly string[];
}

/** Settings from `POINTSMAN_*` variables. */
export function environmentOverrides(env: Readonly<Record<string, string | undefined>>): Overrides {
  const byName = new Map(settableSettings().map((setting) => [environmentName(setting.path), setting]));
  const overrides: Override[] = [];
  const problems: string[] = [];
  for (const [name, text] of Object.entries(env)) {
    if (!name.startsWith("POINTSMAN_") || text === undefined || isNotASetting(name, text)) continue;
    const setting = byName.get(name);
    if (setting === undefined) problems.push(unknown(name, name, byName.keys(), environmentName));
    else overrides.push({ path: setting.path, value: readValue(text, setting), origin: name });
  }
  return { overrides, problems };
}

/** Settings from the command line. */
export function flagOverrides(flags: ConfigFlags): Overrides {
  const byPath = new Map(settableSettings().map((setting) => [setting.path, setting]));
  const overrides: Override[] = [];
  const problems: string[] = [];
  for (const { flag, path, text } of flags.aliases ?? []) {
    const setting = byPath.get(path);
    if (setting === undefined) throw new Error(`${flag} stands for ${path}, which is no setting`);
    overrides.push({ path, value: readValue(text, setting), origin: flag });
  }
  for (const assignment of flags.set ?? []) {
    const [, path = "", text = ""] = /^([^=]*)=(.*)$/s.exec(assignment) ?? [];
    const setting = byPath.get(path);
    if (!assignment.includes("=")) problems.push(`--set ${assignment}: expected path=value`);
    else if (setting === undefined) problems.push(unknown(`--set ${path}`, path, byPath.keys(), (list) => list));
    else overrides.push({ path, value: readValue(text, setting), origin: "--set" });
  }
  if (flags.listen !== undefined) overrides.push({ path: "extProc.listen", value: flags.listen, origin: "--listen" });
  if (flags.logLevel !== undefined) overrides.push({ path: "log.level", value: flags.logLevel, origin: "--log-level" });
  return { overrides, problems };
}

function isNotASetting(name: string, text: string): boolean {
  return otherVariables.has(name) || serviceVariable.test(name) || (name.endsWith("_PORT") && serviceLink.test(text));
}

/** A text that is not of the setting's kind stays a text: the schema then says what it expected. */
function readValue(text: string, { kind }: Setting): unknown {
  if (kind === "texts") return readTexts(text);
  if (kind === "number" && /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text.trim())) return Number(text);
  if (kind === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}

/** Texts with commas between, or a JSON list, for texts that have commas themselves. */
function readTexts(text: string): unknown {
  if (text.trim() === "") return [];
  if (!text.trim().startsWith("[")) return text.split(",").map((part) => part.trim());
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** What is wrong with a name that no single value goes by. */
function unknown(place: string, word: string, names: Iterable<string>, nameOf: (path: string) => string): string {
  const lists = sectionLists().map(({ path }) => nameOf(path));
  if (lists.includes(word)) return `${place}: a list, which only the file can hold`;
  // `workers[0].name`, `workers.0.name`, `POINTSMAN_WORKERS_0_NAME`
  const outer = lists.find((list) => word.startsWith(list) && /^[[._]\d/.test(word.slice(list.length)));
  if (outer !== undefined) return `${place}: inside of a list, which only the file can hold`;
  const nearest = nearestWord(word, names);
  return `${place}: no such setting${nearest === undefined ? "" : ` (did you mean ${nearest}?)`}`;
}
