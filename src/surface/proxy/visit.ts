import type { UnreadBody } from "../../http/index.ts";
import type { ClientHeaders } from "./client-headers.ts";

/** One request on its way through the door. */
export interface Visit extends UnreadBody {
  readonly method: string;
  readonly target: string;
  readonly path: string;
  readonly headers: ClientHeaders;
  readonly newRequestId: string | undefined;
  /** As the client sees it; undefined = it sees none. */
  readonly requestId: string | undefined;
}

/** Anthropic's clients name their API's version. */
export function isAnthropic({ headers }: Visit): boolean {
  return headers.get("anthropic-version") !== undefined;
}
