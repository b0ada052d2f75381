export interface CorsOptions {
  /** Origins whose pages may call; `*` = all; empty = none. */
  readonly origins: readonly string[];
  readonly maxAgeSeconds: number;
}

/** Headers of answers that pages may read beside the usual ones. */
const exposed = "x-request-id, request-id, retry-after";

/** Lets web pages of other origins call. */
export class Cors {
  readonly #options: CorsOptions;
  readonly #allowsAll: boolean;

  constructor(options: CorsOptions) {
    this.#options = options;
    this.#allowsAll = options.origins.includes("*");
  }

  /** Lines for an answer to a page of this origin, names and values in turn; none where it may not call. */
  lines(origin: string | undefined): readonly string[] {
    const allowed = this.#allowedOrigin(origin);
    if (allowed === undefined) return this.#options.origins.length > 0 && !this.#allowsAll ? ["vary", "origin"] : [];
    const lines = ["access-control-allow-origin", allowed, "access-control-expose-headers", exposed];
    return this.#allowsAll ? lines : [...lines, "vary", "origin"];
  }

  /** Lines for the answer to a preflight request. */
  preflight(origin: string | undefined, askedHeaders: string | undefined): readonly string[] {
    const lines = this.lines(origin);
    if (this.#allowedOrigin(origin) === undefined) return lines;
    return [
      ...lines,
      "access-control-allow-methods",
      "GET, POST, DELETE",
      "access-control-allow-headers",
      askedHeaders ?? "content-type, authorization, x-api-key",
      "access-control-max-age",
      String(this.#options.maxAgeSeconds),
    ];
  }

  #allowedOrigin(origin: string | undefined): string | undefined {
    if (origin === undefined) return undefined;
    if (this.#allowsAll) return "*";
    return this.#options.origins.includes(origin) ? origin : undefined;
  }
}
