import { codePointAt, widthOf } from "./code-units.ts";
import { withMarksInOrder } from "./mark-order.ts";
import { mayNormalise, unicodeClasses } from "./unicode-classes.ts";
import { inertRanges } from "./unicode-tables.generated.ts";

const inertRuns = new RegExp(`([${rangesSource(inertRanges)}]+)`, "u");

/**
 * NFC by the official engine's tables, whatever Unicode version the runtime has: characters that those tables do not know neither
 * decompose, combine nor reorder, so the text is cut there.
 */
export function normalizeNfc(text: string): string {
  if (!inertRuns.test(text)) return withMarksInOrder(text).normalize("NFC");
  // `split` with a group keeps the separators at the odd places.
  return text
    .split(inertRuns)
    .map((part, index) => (index % 2 === 1 ? part : withMarksInOrder(part).normalize("NFC")))
    .join("");
}

/** Whether NFC can change the text `units[start, end)`. */
export function mayChangeInNfc(units: Uint16Array, start: number, end: number): boolean {
  for (let index = start; index < end; index++) {
    const unit = units[index] as number;
    if (unit < 0x300) continue; // the first character that combines
    const point = codePointAt(units, index, end);
    if (((unicodeClasses[point] as number) & mayNormalise) !== 0) return true;
    index += widthOf(point) - 1;
  }
  return false;
}

function rangesSource(ranges: readonly number[]): string {
  let source = "";
  for (let index = 0; index < ranges.length; index += 2) {
    source += `\\u{${ranges[index]?.toString(16)}}-\\u{${ranges[index + 1]?.toString(16)}}`;
  }
  return source;
}
