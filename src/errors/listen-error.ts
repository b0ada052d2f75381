/** What the system says when an address cannot be listened on, in words. */
const reasonByCode: Readonly<Record<string, string>> = {
  EADDRINUSE: "address already in use",
  EACCES: "permission denied",
  EADDRNOTAVAIL: "this machine has no such address",
  EAFNOSUPPORT: "this machine has no such kind of address",
  EINVAL: "no such address",
  ENOTFOUND: "no such host",
  EAI_AGAIN: "the host's name cannot be looked up",
  ENOENT: "no such folder",
};

/** An address to listen on. */
export interface ListenPlace {
  /** Where it comes from, `routeApi.listen`. */
  readonly setting: string;
  /** As the setting has it. */
  readonly address: string;
}

/** An address cannot be listened on. The message names the setting, the address and the reason. */
export class ListenError extends Error {
  override readonly name = "ListenError";

  /** @param options whose `cause` is what the system or a library said */
  constructor({ setting, address }: ListenPlace, options: ErrorOptions) {
    super(`${setting}: cannot listen on ${address}: ${reasonOf(options.cause)}`, options);
  }
}

/** Some libraries tell the system's code in their message only, others beside it. */
function reasonOf(cause: unknown): string {
  const message = cause instanceof Error ? cause.message : String(cause);
  const told = /\bE[A-Z][A-Z_]{3,}\b/.exec(message)?.[0];
  const code = told ?? (cause instanceof Error && "code" in cause ? String(cause.code) : "");
  const reason = reasonByCode[code];
  return reason === undefined ? message : `${reason} (${code})`;
}
