import { JsonNumber } from "../json/index.ts";
import type { Variables } from "./chat-strategy.ts";

/** A plain value of a template's variable, as a setting has it. */
export type TemplateArg = string | number | boolean | null;

/** The same for templates, which tell integers and floats apart. */
export function templateVariables(args: readonly (readonly [string, TemplateArg])[]): Variables {
  return args.map(([name, value]) => [name, typeof value === "number" ? new JsonNumber(String(value)) : value]);
}
