import { createHash, timingSafeEqual } from "node:crypto";
import { readFile } from "node:fs/promises";

/** Longest token, in characters. */
const maxTokenLength = 4_096;

/** Who may call: the bearer tokens of a file, one a line, any of which will do. Kept as digests. */
export class BearerTokens {
  readonly #digests: readonly Buffer[];

  private constructor(digests: readonly Buffer[]) {
    this.#digests = digests;
  }

  /** @throws Error when the file cannot be read, holds no token, or one that cannot be sent in a header */
  static async read(file: string): Promise<BearerTokens> {
    const tokens = (await readFile(file, "utf8"))
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "" && !line.startsWith("#"));
    if (tokens.length === 0) throw new Error(`${file} holds no token`);
    const bad = tokens.findIndex((token) => token.length > maxTokenLength || !/^[\x21-\x7e]+$/.test(token));
    if (bad >= 0) throw new Error(`${file}: token ${bad + 1} cannot be sent in a header`);
    return new BearerTokens(tokens.map(digestOf));
  }

  /** Whether an `authorization` header holds one of the tokens. Takes the same time for all of them. */
  accepts(authorization: string | undefined): boolean {
    const [, token] = /^bearer +(\S+) *$/i.exec(authorization ?? "") ?? [];
    if (token === undefined || token.length > maxTokenLength) return false;
    const digest = digestOf(token);
    let isAccepted = false;
    for (const known of this.#digests) isAccepted = timingSafeEqual(known, digest) || isAccepted;
    return isAccepted;
  }
}

function digestOf(token: string): Buffer {
  return createHash("sha256").update(token, "utf8").digest();
}
