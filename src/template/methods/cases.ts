import { UnsupportedTemplateError } from "../template-errors.ts";

export type CharacterClass = "digit" | "letter" | "letter-or-digit" | "upper" | "lower";

const classes: Readonly<Record<CharacterClass, RegExp>> = {
  digit: /^[0-9]+$/,
  letter: /^[A-Za-z]+$/,
  "letter-or-digit": /^[A-Za-z0-9]+$/,
  upper: /^[^a-z]*[A-Z][^a-z]*$/,
  lower: /^[^A-Z]*[a-z][^A-Z]*$/,
};

/** Python's `isdigit` and the like: what other scripts hold depends on tables of Unicode. */
export function isAll(text: string, kind: CharacterClass): boolean {
  refuseOtherScripts(text);
  return classes[kind].test(text);
}

/** Python's `str.capitalize`. */
export function capitalize(text: string): string {
  refuseOtherScripts(text.slice(0, 2));
  return text.charAt(0).toUpperCase() + text.slice(1).toLowerCase();
}

/** Python's `str.title`. */
export function titleCase(text: string): string {
  refuseOtherScripts(text);
  return text.replace(/[A-Za-z]+/g, capitalize);
}

export function refuseOtherScripts(text: string): void {
  if (/\P{ASCII}/u.test(text)) throw new UnsupportedTemplateError("case or class of letters beyond ASCII");
}
