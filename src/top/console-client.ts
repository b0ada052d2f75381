import type { ConsoleError, ConsoleState, ExplainedPick } from "../surface/admin/index.ts";

/** Why the console gave no answer. `unauthorized`: it wants a token, or another one. */
export type ConsoleProblem = "unreachable" | "unauthorized" | "refused" | "no_console";

/** The message is for the person who asked. */
export class ConsoleUnavailable extends Error {
  override readonly name = "ConsoleUnavailable";
  readonly problem: ConsoleProblem;

  constructor(message: string, options: ErrorOptions & { readonly problem: ConsoleProblem }) {
    super(message, options);
    this.problem = options.problem;
  }
}

export interface ConsoleClientOptions {
  readonly url: URL;
  readonly token: string | undefined;
  /** How long an answer is waited for, ms. */
  readonly timeoutMs: number;
  /** What to do about a token that is missing or wrong. */
  readonly tokenHint: string;
}

/** Longest answer that is read: some 4 KB a rank. */
const maxAnswerBytes = 67_108_864;

/** What OpenSSL makes of plain HTTP in place of a handshake. */
const answersWithoutTls = new Set([
  "ERR_SSL_WRONG_VERSION_NUMBER",
  "ERR_SSL_PACKET_LENGTH_TOO_LONG",
  "ERR_SSL_HTTP_REQUEST",
]);

/** Asks the console of a running picker. */
export class ConsoleClient {
  readonly #options: ConsoleClientOptions;
  #hasAnswered = false;

  constructor(options: ConsoleClientOptions) {
    this.#options = options;
  }

  /** @throws ConsoleUnavailable, or the signal's reason */
  async state(signal?: AbortSignal): Promise<ConsoleState> {
    const answer = await this.#get("api/state", signal);
    if (!isState(answer)) throw noConsole("answered with something that is no state of a picker");
    return answer;
  }

  /** Why a pick fell as it did. @throws ConsoleUnavailable, or the signal's reason */
  async explained(pickId: string, signal?: AbortSignal): Promise<ExplainedPick> {
    const answer = await this.#get(`api/picks/${encodeURIComponent(pickId)}`, signal);
    if (!isExplained(answer)) throw noConsole("answered with something that is no explanation");
    return answer;
  }

  async #get(path: string, signal: AbortSignal | undefined): Promise<unknown> {
    const { url, token, timeoutMs } = this.#options;
    const deadline = AbortSignal.timeout(timeoutMs);
    const headers = {
      accept: "application/json",
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
    try {
      const answer = await fetch(new URL(path, url), {
        headers,
        redirect: "error",
        signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
      });
      this.#hasAnswered = true;
      const text = await bodyOf(answer);
      if (!answer.ok) throw this.#refusal(answer.status, text);
      return JSON.parse(text);
    } catch (cause) {
      signal?.throwIfAborted();
      if (cause instanceof ConsoleUnavailable) throw cause;
      if (cause instanceof SyntaxError) throw noConsole("answered with something that is no JSON", cause);
      const message = deadline.aborted ? `it took longer than ${timeoutMs} ms` : this.#reasonOf(cause);
      throw new ConsoleUnavailable(message, { problem: "unreachable", cause });
    }
  }

  /** The system's reason where there is one: `fetch failed` says nothing. */
  #reasonOf(error: unknown): string {
    if (!(error instanceof Error)) return String(error);
    const { cause } = error;
    if (!(cause instanceof Error)) return error.message;
    const { code } = cause as NodeJS.ErrnoException;
    if (code !== undefined && answersWithoutTls.has(code))
      return "it speaks no TLS: is it http:// in place of https://?";
    // The one of several addresses has no message of its own.
    if (code !== "ECONNREFUSED") return cause.message || code || error.message;
    return this.#hasAnswered ? "connection refused" : "connection refused: is it running with `--console`?";
  }

  #refusal(status: number, text: string): ConsoleUnavailable {
    const { token, tokenHint } = this.#options;
    if (status === 401) {
      const what = token === undefined ? "the console asks for a token" : "the console does not know this token";
      return new ConsoleUnavailable(`${what}: ${tokenHint}`, { problem: "unauthorized" });
    }
    const message = messageOf(text);
    if (message === undefined) return noConsole(`answered ${status}, and not as a console does`);
    return new ConsoleUnavailable(`${message} (${status})`, { problem: "refused" });
  }
}

function noConsole(message: string, cause?: unknown): ConsoleUnavailable {
  return new ConsoleUnavailable(`${message}: is there a console (admin.listen) at this address?`, {
    problem: "no_console",
    cause,
  });
}

async function bodyOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > maxAnswerBytes) throw noConsole(`answered with over ${maxAnswerBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function messageOf(text: string): string | undefined {
  try {
    const { error } = JSON.parse(text) as Partial<ConsoleError>;
    return typeof error?.message === "string" ? error.message : undefined;
  } catch {
    return undefined;
  }
}

const stateLists = ["modes", "models", "workers", "picks"];
const stateObjects = ["ready", "totals", "history"];

/** Enough of it to tell a console from another server: it is trusted in the rest. */
function isState(answer: unknown): answer is ConsoleState {
  if (!isObject(answer)) return false;
  return (
    stateLists.every((name) => Array.isArray(answer[name])) && stateObjects.every((name) => isObject(answer[name]))
  );
}

function isExplained(answer: unknown): answer is ExplainedPick {
  return isObject(answer) && isObject(answer["explanation"]) && isObject(answer["explanation"]["answering"]);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
