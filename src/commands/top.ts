import { readFile } from "node:fs/promises";
import type { WriteStream } from "node:tty";
import { ConfigError } from "../config/index.ts";
import {
  asciiGlyphs,
  ConsoleClient,
  ConsoleUnavailable,
  type Glyphs,
  safeText,
  snapshotText,
  Terminal,
  TopSession,
  unicodeGlyphs,
  unshowable,
} from "../top/index.ts";
import { tokenVariable } from "./console-token.ts";

/** What is looked at, and how. */
export interface TopOptions {
  readonly url: string;
  /** File with the console's token; undefined = the variable {@link tokenVariable}. */
  readonly tokenFile: string | undefined;
  /** Between two questions, seconds. */
  readonly interval: number;
  /** One snapshot in plain text. */
  readonly once: boolean;
  /** One snapshot as the console gives it. */
  readonly json: boolean;
}

/** The process that the command runs in. */
export type TopProcess = Pick<NodeJS.Process, "stdin" | "stdout" | "env" | "on" | "off" | "kill">;

const leastTimeoutMs = 5_000;
/** Width of a snapshot that goes into a file or a pipe. */
const plainColumns = 160;
const signalNumbers = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;
type EndingSignal = keyof typeof signalNumbers;

/**
 * Shows what a picker does, live on a terminal; one snapshot where there is none.
 * @returns the exit code: 0, 1 when a snapshot could not be had, 128 and its number for a signal
 * @throws ConfigError for an address or a token that cannot be; Error where the console has no answer, and no answer will come
 */
export async function top(options: TopOptions, host: TopProcess): Promise<number> {
  const { stdin, stdout, env } = host;
  const client = await clientOf(options, env);
  const isLive = stdin.isTTY && stdout.isTTY && env["TERM"] !== "dumb" && !options.once && !options.json;
  try {
    return isLive ? await live(client, options, host) : await snapshot(client, options, host);
  } catch (error) {
    if (!(error instanceof ConsoleUnavailable)) throw error;
    throw new Error(safeText(`${options.url}: ${error.message}`), { cause: error });
  }
}

async function clientOf({ url, tokenFile, interval }: TopOptions, env: NodeJS.ProcessEnv): Promise<ConsoleClient> {
  const token = tokenFile === undefined ? env[tokenVariable] || undefined : await tokenIn(tokenFile);
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token))
    throw new ConfigError([`${tokenFile ?? tokenVariable}: there is a token that no header can carry in it`]);
  return new ConsoleClient({
    url: addressOf(url),
    token,
    timeoutMs: Math.max(leastTimeoutMs, 2 * msOf(interval)),
    tokenHint: `give it with --token-file FILE or in ${tokenVariable}`,
  });
}

/** @throws ConfigError */
function addressOf(text: string): URL {
  const url = URL.parse(text.includes("://") ? text : `http://${text}`);
  if (url === null || !["http:", "https:"].includes(url.protocol) || url.username !== "" || url.password !== "")
    throw new ConfigError([`--url ${text}: expected an address such as http://127.0.0.1:9099`]);
  url.search = "";
  url.hash = "";
  if (!url.pathname.endsWith("/")) url.pathname += "/";
  return url;
}

/** The first of the tokens in a file. @throws ConfigError */
async function tokenIn(file: string): Promise<string> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (cause) {
    throw new ConfigError([`--token-file: ${file} cannot be read`], { cause });
  }
  const [token = ""] = text.trim().split(/\r?\n/);
  if (token === "") throw new ConfigError([`--token-file: ${file} is empty`]);
  return token;
}

async function snapshot(client: ConsoleClient, { json }: TopOptions, host: TopProcess): Promise<number> {
  const { stdout, env } = host;
  const state = await client.state();
  const columns = stdout.isTTY ? stdout.columns || plainColumns : plainColumns;
  await written(stdout, json ? jsonLine(state) : shownText(state, columns, glyphsOf(env)));
  return 0;
}

function shownText(...[state, columns, glyphs]: Parameters<typeof snapshotText>): string {
  try {
    return snapshotText(state, columns, glyphs);
  } catch (cause) {
    throw new Error(safeText(unshowable(state, cause).message), { cause });
  }
}

/** In JSON a character may be written as its number: so are those that act on a terminal. */
function jsonLine(value: unknown): string {
  const numbered = (characters: string) =>
    Array.from({ length: characters.length }, (_, at) => characters.charCodeAt(at).toString(16).padStart(4, "0"))
      .map((digits) => `\\u${digits}`)
      .join("");
  return `${JSON.stringify(value).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, numbered)}\n`;
}

/** Resolves when the text is written, or nobody reads it any more. */
function written(output: WriteStream, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) => (error.code === "EPIPE" ? resolve() : reject(error));
    output.once("error", fail);
    output.write(text, () => resolve());
  });
}

async function live(client: ConsoleClient, options: TopOptions, host: TopProcess): Promise<number> {
  const { stdin, stdout, env } = host;
  const terminal = new Terminal(stdin, stdout, env["NO_COLOR"] === undefined || env["NO_COLOR"] === "", {
    keys: (keys) => session.press(keys),
    changed: () => session.draw(),
    lost: () => session.end(),
  });
  const session = new TopSession(client, terminal, {
    url: options.url,
    glyphs: glyphsOf(env),
    intervalMs: msOf(options.interval),
    now: () => performance.now(),
    suspend: () => suspended(terminal, host),
  });
  let code = 0;
  const end = (signal: EndingSignal) => {
    code = 128 + signalNumbers[signal];
    session.end();
  };
  const signals = Object.keys(signalNumbers) as EndingSignal[];
  const leave = () => terminal.leave();
  // Stopped by somebody else than us it had no time to leave the terminal.
  const resume = () => {
    terminal.leave();
    terminal.enter();
    session.draw();
  };
  for (const signal of signals) host.on(signal, end);
  // Before the message about it is printed, which is to be read.
  host.on("uncaughtExceptionMonitor", leave).on("exit", leave).on("SIGCONT", resume);
  try {
    terminal.enter();
    await session.run((error) => error instanceof ConsoleUnavailable && error.problem === "unauthorized");
    return code;
  } finally {
    terminal.leave();
    for (const signal of signals) host.off(signal, end);
    host.off("uncaughtExceptionMonitor", leave).off("exit", leave).off("SIGCONT", resume);
  }
}

/** Gives the terminal back to the shell, as Ctrl-Z does elsewhere, with whatever else runs in this job (`npx`). */
function suspended(terminal: Terminal, host: TopProcess): void {
  terminal.leave();
  host.kill(0, "SIGTSTP");
}

/** Where the locale is said and is none of UTF-8, ASCII. */
function glyphsOf({ LC_ALL, LC_CTYPE, LANG }: NodeJS.ProcessEnv): Glyphs {
  const locale = LC_ALL || LC_CTYPE || LANG || "";
  return locale === "" || /utf-?8/i.test(locale) ? unicodeGlyphs : asciiGlyphs;
}

function msOf(seconds: number): number {
  return 1_000 * seconds;
}
