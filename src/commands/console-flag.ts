import type { FlagSetting } from "../config/index.ts";

/** Where the console listens when it is asked for without an address. */
const consoleAddress = "127.0.0.1:9099";

/** What `--console` stands for. @param given an address, a port on loopback, or nothing */
export function consoleSetting(given: string | true): FlagSetting {
  const text = given === true ? consoleAddress : /^\d+$/.test(given) ? `127.0.0.1:${given}` : given;
  return { flag: "--console", path: "admin.listen", text };
}
