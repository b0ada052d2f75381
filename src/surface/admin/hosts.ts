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
    const name = nameIn(host);
    return name !== undefined && (isLoopbackName(name) || this.#allowed.has(name));
  }

  /** What would have to be allowed for a request with this `host`; undefined when it has no name that can be. */
  allowable(host: string | undefined): string | undefined {
    const name = nameIn(host);
    return name !== undefined && /^([a-z0-9._-]{1,253}|\[.+\])$/.test(name) ? name : undefined;
  }
}

/** Without its port, in lower case. */
function nameIn(host: string | undefined): string | undefined {
  const [, name] = /^(\[[0-9a-f:.]+\]|[^:[\]/@?#\\]+)(?::\d{1,5})?$/i.exec(host ?? "") ?? [];
  return name?.toLowerCase().replace(/\.$/, "");
}

function isLoopbackName(name: string): boolean {
  return name === "localhost" || name === "[::1]" || (isIP(name) === 4 && name.startsWith("127."));
}
