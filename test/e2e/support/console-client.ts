import { request } from "undici";
import type { ConsoleState } from "../../../src/surface/admin/index.ts";

/** JSON that the console on this loopback port answers. */
export async function consoleJson<T>(port: number, path: string): Promise<T> {
  const { statusCode, body } = await request(`http://127.0.0.1:${port}${path}`);
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`${path}: status ${statusCode}: ${text}`);
  return JSON.parse(text) as T;
}

export function consoleState(port: number): Promise<ConsoleState> {
  return consoleJson(port, "/api/state");
}

/** Data of the first event of this name that `matches`, of a stream that is read from here on. */
export async function eventOf<T>(port: number, name: string, matches: (data: T) => boolean): Promise<T> {
  const stop = new AbortController();
  const { body } = await request(`http://127.0.0.1:${port}/api/events`, { signal: stop.signal });
  body.on("error", () => undefined);
  let rest = "";
  try {
    for await (const chunk of body) {
      rest += String(chunk);
      for (let end = rest.indexOf("\n\n"); end >= 0; end = rest.indexOf("\n\n")) {
        const [event, data = ""] = rest.slice(0, end).split("\ndata: ");
        rest = rest.slice(end + 2);
        if (event !== `event: ${name}`) continue;
        const read = JSON.parse(data) as T;
        if (matches(read)) return read;
      }
    }
    throw new Error(`the events ended without ${name}`);
  } finally {
    stop.abort();
  }
}
