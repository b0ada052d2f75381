import { UnsupportedTemplateError } from "../template-errors.ts";
import { spend } from "../work.ts";

const months = "January February March April May June July August September October November December".split(" ");
const days = "Sunday Monday Tuesday Wednesday Thursday Friday Saturday".split(" ");

const fields: Readonly<Record<string, (date: Date) => string>> = {
  Y: (date) => String(date.getFullYear()),
  y: (date) => padded(date.getFullYear() % 100),
  m: (date) => padded(date.getMonth() + 1),
  d: (date) => padded(date.getDate()),
  B: (date) => months[date.getMonth()] ?? "",
  b: (date) => (months[date.getMonth()] ?? "").slice(0, 3),
  A: (date) => days[date.getDay()] ?? "",
  a: (date) => (days[date.getDay()] ?? "").slice(0, 3),
  H: (date) => padded(date.getHours()),
  I: (date) => padded(date.getHours() % 12 || 12),
  M: (date) => padded(date.getMinutes()),
  S: (date) => padded(date.getSeconds()),
  p: (date) => (date.getHours() < 12 ? "AM" : "PM"),
  "%": () => "%",
};

/** Python's `strftime` in local time and the C locale, for the directives that chat templates use; `%-d` drops the leading zero. */
export function formatTime(date: Date, format: string): string {
  spend(format.length * 20);
  return format.replace(/%(-?)(.?)/gs, (_, dash: string, letter: string) => {
    const field = fields[letter];
    if (field === undefined) throw new UnsupportedTemplateError("a strftime directive");
    const value = field(date);
    return dash === "" ? value : value.replace(/^0(?=\d)/, "");
  });
}

function padded(value: number): string {
  return String(value).padStart(2, "0");
}
