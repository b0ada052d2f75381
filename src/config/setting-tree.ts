import { z } from "zod";
import { settingsSchema } from "./schema.ts";

/** What a setting holds: `section` and `list` have settings inside, the latter in each entry; `texts` is a list of texts. */
export type SettingKind = "section" | "list" | "texts" | "map" | "string" | "number" | "boolean";

/** One setting as the schema declares it. */
export interface Setting {
  /** `extProc.tls.mode`; settings of list entries as `workers[].name`. */
  readonly path: string;
  readonly kind: SettingKind;
  readonly description: string;
  /** Words that it, or each of its texts, takes; undefined = not a choice. */
  readonly choices: readonly string[] | undefined;
  /** Absent = there is none. */
  readonly defaultValue: unknown;
  readonly isRequired: boolean;
  readonly isInteger: boolean;
  readonly children: readonly Setting[];
}

/** The part of JSON Schema that zod writes for our settings. */
interface JsonSchema {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
}

/** The top-level settings, in the schema's order. */
export function settingTree(): readonly Setting[] {
  const schema = z.toJSONSchema(settingsSchema, { io: "input", unrepresentable: "any" }) as JsonSchema;
  return childrenOf(schema, "");
}

/** Settings that can be given outside of the file: no list of sections, and not inside of one. */
export function settableSettings(tree: readonly Setting[] = settingTree()): readonly Setting[] {
  return tree.flatMap((setting) => {
    if (setting.kind === "section") return settableSettings(setting.children);
    return isOnlyInFile(setting) ? [] : [setting];
  });
}

/** Lists of sections outside of other lists. */
export function sectionLists(tree: readonly Setting[] = settingTree()): readonly Setting[] {
  return tree.flatMap((setting) => {
    if (setting.kind === "section") return sectionLists(setting.children);
    return setting.kind === "list" ? [setting] : [];
  });
}

/** Whether a setting has no form as one line of text. */
export function isOnlyInFile({ kind }: Setting): boolean {
  return kind === "list" || kind === "map";
}

/** Environment variable of a setting: `extProc.tls.mode` -> `POINTSMAN_EXT_PROC_TLS_MODE`. */
export function environmentName(path: string): string {
  const words = path.replace(/([a-z0-9])([A-Z])/g, "$1_$2").replaceAll(".", "_");
  return `POINTSMAN_${words.toUpperCase()}`;
}

function childrenOf(schema: JsonSchema, prefix: string): readonly Setting[] {
  return Object.entries(schema.properties ?? {}).map(([key, child]) =>
    toSetting(child, `${prefix}${key}`, schema.required?.includes(key) === true),
  );
}

function toSetting(schema: JsonSchema, path: string, isRequired: boolean): Setting {
  const kind = kindOf(schema);
  const inner = kind === "list" ? { schema: schema.items ?? {}, prefix: `${path}[].` } : { schema, prefix: `${path}.` };
  return {
    path,
    kind,
    description: schema.description ?? "",
    choices: schema.enum ?? schema.items?.enum,
    defaultValue: kind === "section" ? undefined : schema.default,
    isRequired,
    isInteger: schema.type === "integer",
    children: kind === "section" || kind === "list" ? childrenOf(inner.schema, inner.prefix) : [],
  };
}

function kindOf(schema: JsonSchema): SettingKind {
  if (schema.type === "object") return schema.properties === undefined ? "map" : "section";
  if (schema.type === "array") return schema.items?.properties === undefined ? "texts" : "list";
  if (schema.type === "boolean") return "boolean";
  return schema.type === "integer" || schema.type === "number" ? "number" : "string";
}
