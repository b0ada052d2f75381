import { asciiText, safeText } from "./safe-text.ts";

/** What figures are drawn with. */
export interface Glyphs {
  /** From nothing to all of a cell's height. */
  readonly levels: readonly string[];
  /** From an eighth (or all) of a cell's width on, without nothing. */
  readonly parts: readonly string[];
  readonly to: string;
  readonly up: string;
  readonly down: string;
  readonly ellipsis: string;
  readonly dot: string;
  readonly times: string;
  readonly minus: string;
  /** Makes text from elsewhere fit to be shown. */
  readonly shown: (text: string) => string;
}

export const unicodeGlyphs: Glyphs = {
  levels: [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"],
  parts: ["▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"],
  to: "→",
  up: "↑",
  down: "↓",
  ellipsis: "…",
  dot: "·",
  times: "×",
  minus: "−",
  shown: safeText,
};

export const asciiGlyphs: Glyphs = {
  levels: [" ", "_", ".", "-", "=", "+", "*", "#"],
  parts: ["#"],
  to: "->",
  up: "^",
  down: "v",
  ellipsis: "~",
  dot: "-",
  times: "x",
  minus: "-",
  shown: asciiText,
};

/**
 * A curve of one cell a value, the last `cells` of them. A value that is not known leaves its cell empty.
 * @param top what fills a cell; 0 or absent = the greatest of the values
 */
export function sparkline(
  values: readonly (number | undefined)[],
  cells: number,
  { levels }: Glyphs,
  top?: number,
): string {
  const shown = values.slice(Math.max(0, values.length - cells));
  const most = top || Math.max(0, ...shown.map((value) => value ?? 0));
  const level = (value: number | undefined): string => {
    if (value === undefined || !Number.isFinite(value)) return " ";
    // The lowest mark tells "nothing" from "not known".
    const part = most === 0 ? 0 : Math.min(1, Math.max(0, value / most));
    return levels[1 + Math.round(part * (levels.length - 2))] ?? " ";
  };
  return shown.map(level).join("").padStart(cells);
}

/** A bar of at most `cells` cells for a part of 0 to 1; what is more than nothing is seen. */
export function bar(part: number, cells: number, { parts }: Glyphs): string {
  if (!(part > 0) || cells <= 0) return "";
  const steps = Math.max(1, Math.round(Math.min(1, part) * cells * parts.length));
  const whole = Math.floor(steps / parts.length);
  return (
    (parts.at(-1) ?? "").repeat(whole) + (steps % parts.length === 0 ? "" : (parts[(steps % parts.length) - 1] ?? ""))
  );
}
