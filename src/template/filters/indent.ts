import { splitLines } from "../python/split.ts";

/** jinja2's `indent` (jinja2@3.1.6 filters.py `do_indent`). */
export function indented(text: string, by: string, indentsFirst: boolean, indentsBlank: boolean): string {
  const whole = `${text}\n`;
  if (indentsBlank) {
    const lines = splitLines(whole, false).join(`\n${by}`);
    return indentsFirst ? by + lines : lines;
  }
  const [first = "", ...rest] = splitLines(whole, false);
  const tail = rest.map((line) => `\n${line === "" ? "" : by + line}`).join("");
  return (indentsFirst ? by : "") + first + tail;
}
