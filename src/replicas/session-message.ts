import { isCount, isName, parsedMessage } from "./wire.ts";

/** Where a session is served, as replicas tell each other. */
export interface SessionRow {
  /** Of the session, the same on every replica; says nothing of its id. */
  readonly key: string;
  /** Counts the changes of where it is served. */
  readonly version: number;
  /** The replica that made the last of them. */
  readonly origin: string;
  /** Name of the rank that answers. */
  readonly answering: string;
  /** Name of the rank that prefills; undefined = the same. */
  readonly prefill: string | undefined;
}

/** Most rows of a message. */
export const maxSessionRows = 256;

/** The JSON text of a message. */
export function sessionMessageText(from: string, rows: readonly SessionRow[]): string {
  const lists = rows.map(({ key, version, origin, answering, prefill }) => [
    key,
    version,
    origin,
    answering,
    prefill ?? null,
  ]);
  return JSON.stringify({ from, sessions: lists });
}

/** Reads a message. @returns undefined when it is none */
export function readSessionMessage(
  text: string,
): { readonly from: string; readonly rows: readonly SessionRow[] } | undefined {
  const { from, sessions } = parsedMessage(text) ?? {};
  if (!(isName(from) && Array.isArray(sessions) && sessions.length <= maxSessionRows && sessions.every(isRow))) {
    return undefined;
  }
  return {
    from,
    rows: sessions.map(([key, version, origin, answering, prefill]) => ({
      key,
      version,
      origin,
      answering,
      prefill: prefill ?? undefined,
    })),
  };
}

type RowList = [key: string, version: number, origin: string, answering: string, prefill: string | null];

function isRow(row: unknown): row is RowList {
  if (!Array.isArray(row)) return false;
  const [key, version, origin, answering, prefill] = row;
  return (
    isName(key) && isCount(version) && isName(origin) && isName(answering) && (prefill === null || isName(prefill))
  );
}
