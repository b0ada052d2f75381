import { RoutingError, type RoutingErrorCode } from "../../errors/index.ts";

/** A field that is not as the API defines it. Readers throw it with the path inside their value; callers prepend theirs. */
export class FieldError extends Error {
  override readonly name = "FieldError";
  /** What is wrong, to be read after the field's name: "must be a string". Holds no content of the request. */
  readonly problem: string;
  #path = "";

  constructor(problem: string, path = "") {
    super(problem);
    this.problem = problem;
    this.#path = path;
  }

  /** As a client would write it: `messages[2].role`; empty for the body itself. */
  get path(): string {
    return this.#path;
  }

  /** Puts a member name or an array index before the path; returns itself, to be thrown on. */
  within(parent: string | number): this {
    const head = typeof parent === "number" ? `[${parent}]` : parent;
    this.#path = this.#path === "" || this.#path.startsWith("[") ? head + this.#path : `${head}.${this.#path}`;
    return this;
  }

  /** Puts another path in place of the whole one; returns itself, to be thrown on. */
  at(path: string): this {
    this.#path = path;
    return this;
  }

  /** The error that reaches the client. */
  toRoutingError(code: RoutingErrorCode = "invalid_request"): RoutingError {
    if (this.#path === "") return new RoutingError(`the body ${this.problem}`, { code });
    return new RoutingError(`\`${this.#path}\` ${this.problem}`, { code, field: this.#path });
  }
}

/** Runs a reader for a part of a value; an error it throws is placed under `parent`. */
export function within<T>(parent: string | number, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw error instanceof FieldError ? error.within(parent) : error;
  }
}

/** A refusal of one field, by its whole path. */
export function refusal(path: string, problem: string, code: RoutingErrorCode = "invalid_request"): RoutingError {
  return new FieldError(problem, path).toRoutingError(code);
}
