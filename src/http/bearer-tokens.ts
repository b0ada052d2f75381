import { createHash, timingSafeEqual } from "node:crypto";
import { open } from "node:fs/promises";
import type { HttpLog } from "./node-server.ts";
import { watchContent } from "./watched-content.ts";

/** Longest token, in characters. */
const maxTokenLength = 4_096;
/** Most tokens of a file: each request is compared with all of them. */
const maxTokens = 256;
/** Longest file, in bytes. */
const maxFileBytes = 2_097_152;

/** Who may call: the bearer tokens of a file, one a line, and those of which the digests are told, any of which will do. Kept as digests. */
export class BearerTokens {
  #ofFile: readonly Buffer[];
  readonly #told: readonly Buffer[];
  #stopWatching: () => void = () => undefined;

  private constructor(ofFile: readonly Buffer[], told: readonly Buffer[]) {
    this.#ofFile = ofFile;
    this.#told = told;
  }

  /**
   * Reads the file.
   * @param hashes SHA-256 of further tokens, in hexadecimal
   * @throws Error when it cannot be read, holds no token, too many, or one that cannot be sent in a header
   */
  static async read(file: string, hashes: readonly string[] = []): Promise<BearerTokens> {
    return new BearerTokens(await digestsOf(file), digestsOfHashes(hashes));
  }

  /** Those of which the digests are told, and no others. @param hashes SHA-256 in hexadecimal, at least one */
  static told(hashes: readonly string[]): BearerTokens {
    return new BearerTokens([], digestsOfHashes(hashes));
  }

  /**
   * Looks for other tokens in the file from here on, until `close`. Where it has become unusable the tokens before stay.
   * @param intervalMs pause between two looks; 0 = none is taken
   */
  watch(file: string, intervalMs: number, log: HttpLog): void {
    this.#stopWatching = watchContent(this.#ofFile, {
      read: () => digestsOf(file),
      isSame: (a, b) => Buffer.concat(a).equals(Buffer.concat(b)),
      intervalMs,
      after: (delayMs, callback) => {
        const timer = setTimeout(callback, delayMs).unref();
        return () => clearTimeout(timer);
      },
      onChange: (digests) => {
        this.#ofFile = digests;
        log.info({ tokenFile: file, tokens: digests.length }, "http: new tokens");
      },
      onFailure: (err) => log.error({ err, tokenFile: file }, "http: cannot reload the tokens, keeping the old ones"),
    });
  }

  close(): void {
    this.#stopWatching();
  }

  /** Whether an `authorization` header holds one of the tokens. Takes the same time for all of them. */
  accepts(authorization: string | undefined): boolean {
    const [, token] = /^bearer +(\S+) *$/i.exec(authorization ?? "") ?? [];
    if (token === undefined || token.length > maxTokenLength) return false;
    const digest = digestOf(token);
    let isAccepted = false;
    for (const known of [...this.#ofFile, ...this.#told]) isAccepted = timingSafeEqual(known, digest) || isAccepted;
    return isAccepted;
  }
}

function digestsOfHashes(hashes: readonly string[]): readonly Buffer[] {
  return hashes.map((hash) => Buffer.from(hash, "hex"));
}

async function digestsOf(file: string): Promise<readonly Buffer[]> {
  const tokens = (await readBounded(file))
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
  if (tokens.length === 0) throw new Error(`${file} holds no token`);
  if (tokens.length > maxTokens) throw new Error(`${file} holds more than ${maxTokens} tokens`);
  const bad = tokens.findIndex((token) => token.length > maxTokenLength || !/^[\x21-\x7e]+$/.test(token));
  if (bad >= 0) throw new Error(`${file}: token ${bad + 1} cannot be sent in a header`);
  return tokens.map(digestOf);
}

/** The file may be replaced by anything while the process runs. */
async function readBounded(file: string): Promise<string> {
  const handle = await open(file);
  try {
    const bytes = Buffer.alloc(maxFileBytes + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await handle.read(bytes, length, bytes.length - length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    if (length > maxFileBytes) throw new Error(`${file} is longer than ${maxFileBytes} bytes`);
    return bytes.toString("utf8", 0, length);
  } finally {
    await handle.close();
  }
}

function digestOf(token: string): Buffer {
  return createHash("sha256").update(token, "utf8").digest();
}
