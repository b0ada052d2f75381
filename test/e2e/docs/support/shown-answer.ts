import type { ShownAnswer } from "./page-steps.ts";

/**
 * Why what was printed is not what the page shows; undefined when it is. An ellipsis (`…`, in JSON the string `"…"`) stands for anything:
 * ids and times. Numbers of JSON are equal to ten digits.
 */
export function differenceFrom({ language, text }: ShownAnswer, printed: string): string | undefined {
  if (language !== "json") return differentText(text.trim(), printed.trim());
  try {
    return differentValue(JSON.parse(text), JSON.parse(printed), "");
  } catch (error) {
    return `not JSON (${String(error)}): ${printed}`;
  }
}

function differentText(shown: string, printed: string): string | undefined {
  const pattern = shown.split("…").map(escaped).join("[\\s\\S]*?");
  return new RegExp(`^${pattern}$`).test(printed) ? undefined : `it printed\n${printed}`;
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

function differentValue(shown: unknown, printed: unknown, path: string): string | undefined {
  if (shown === "…") return undefined;
  if (typeof shown === "number" && typeof printed === "number") {
    const isClose = Math.abs(shown - printed) <= 1e-10 * Math.max(Math.abs(shown), Math.abs(printed));
    return isClose ? undefined : `${path} is ${printed}`;
  }
  if (isObject(shown) && isObject(printed) && Array.isArray(shown) === Array.isArray(printed)) {
    const names = new Set([...Object.keys(shown), ...Object.keys(printed)]);
    for (const name of names) {
      const difference = differentValue(shown[name], printed[name], `${path}/${name}`);
      if (difference !== undefined) return difference;
    }
    return undefined;
  }
  return Object.is(shown, printed) ? undefined : `${path || "it"} is ${JSON.stringify(printed)}`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
