import { UnsupportedTemplateError } from "../template-errors.ts";
import { spend } from "../work.ts";

const months = "January February March April May June July August September October November December".split(" ");
const days = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");

const fields: Readonly<Record<string, (date: Date) => string>> = {
  Y: (date) => String(date.getUTCFullYear()),
  y: (date) => padded(date.getUTCFullYear() % 100),
  m: (date) => padded(date.getUTCMonth() + 1),
  d: (date) => padded(date.getUTCDate()),
  B: (date) => months[date.getUTCMonth()] ?? "",
  b: (date) => (months[date.getUTCMonth()] ?? "").slice(0, 3),
  A: (date) => days[date.getUTCDay()] ?? "",
  a: (date) => (days[date.getUTCDay()] ?? "").slice(0, 3),
  H: (date) => padded(date.getUTCHours()),
  I: (date) => padded(date.getUTCHours() % 12 || 12),
  M: (date) => padded(date.getUTCMinutes()),
  S: (date) => padded(date.getUTCSeconds()),
  p: (date) => (date.getUTCHours() < 12 ? "AM" : "PM"),
  e: (date) => String(date.getUTCDate()).padStart(2),
  j: (date) => String(dayOfYear(date)).padStart(3, "0"),
  "%": () => "%",
};

const short: Readonly<Record<string, string>> = { F: "%Y-%m-%d", T: "%H:%M:%S", R: "%H:%M", D: "%m/%d/%y", h: "%b" };

/**
 * `strftime` in the C locale, for the directives that Python's and chrono's share and templates use; `%-d` drops the padding.
 * @param date has the time to show in its UTC fields
 */
export function formatTime(date: Date, format: string): string {
  spend(format.length * 20);
  const whole = format.replace(/%([FTRDh%])/g, (directive, letter: string) => short[letter] ?? directive);
  return whole.replace(/%(-?)(.?)/gs, (_, dash: string, letter: string) => {
    const field = fields[letter];
    if (field === undefined || (dash !== "" && /\D/.test(field(date).trim())))
      throw new UnsupportedTemplateError("a strftime directive");
    const value = field(date);
    return dash === "" ? value : value.replace(/^[0 ]+(?=\d)/, "");
  });
}

function dayOfYear(date: Date): number {
  return Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000) + 1;
}

function padded(value: number): string {
  return String(value).padStart(2, "0");
}
