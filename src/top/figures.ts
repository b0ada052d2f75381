const units = ["", "k", "M", "G", "T", "P"];

/** A count in at most five cells: 9999, 12.3k, 123k, 1.2M. */
export function shortCount(count: number): string {
  if (!Number.isFinite(count)) return "?";
  if (Math.abs(count) < 10_000) return String(Math.round(count));
  let value = count;
  let unit = 0;
  while (Math.abs(value) >= 999.5 && unit < units.length - 1) {
    value /= 1_000;
    unit++;
  }
  return `${Math.abs(value) < 99.95 ? value.toFixed(1) : value.toFixed(0)}${units[unit]}`;
}

/** A rate or a cost: two or three digits that count. */
export function shortNumber(value: number): string {
  if (!Number.isFinite(value)) return "?";
  const size = Math.abs(value);
  if (size >= 1_000) return shortCount(value);
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2);
}

/** Blocks, as they are compared: two that differ by little must not look equal. */
export function costText(blocks: number): string {
  return Math.abs(blocks) < 1e6 ? blocks.toFixed(2) : blocks.toPrecision(8);
}

/** @param part 0 to 1; undefined = not known */
export function percent(part: number | undefined): string {
  return part === undefined || !Number.isFinite(part) ? "-" : `${(100 * part).toFixed(1)} %`;
}

/** A time that has passed: `350 ms`, `12 s`, `5 min`, `3 h 20 min`, `2 d 4 h`. */
export function duration(ms: number): string {
  if (!Number.isFinite(ms)) return "?";
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = Math.floor(ms / 1_000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** The time of day, in the machine's time zone. @param at ms since 1970 */
export function clockTime(at: number): string {
  const date = new Date(at);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}
