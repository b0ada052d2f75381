import { isIP } from "node:net";

/**
 * Which names of the console browsers may use. A page of another site can have its own name point here: what it asks then bears that
 * name in `host`, and is none of these.
 */
export class Hosts {
  readonly #allowed: ReadonlySet<string>;

  /** @param allowed hosts without ports, in lower case, IPv6 in brackets: beside the loopback ones */
  constructor(allowed: readonly string[]) {
    this.#allowed = new Set(allowed);
  }

  /** Whether a request with this `host` may be answered. */
  allows(host: string | undefined): boolean {
    const [, name] = /^(\[[0-9a-f:.]+\]|[^:[\]/@?#\\]+)(?::\d{1,5})?$/i.exec(host ?? "") ?? [];
    if (name === undefined) return false;
    const lower = name.toLowerCase().replace(/\.$/, "");
    return isLoopbackName(lower) || this.#allowed.has(lower);
  }
}

function isLoopbackName(name: string): boolean {
  return name === "localhost" || name === "[::1]" || (isIP(name) === 4 && name.startsWith("127."));
}
