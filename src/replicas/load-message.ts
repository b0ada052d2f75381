import type { RankLoad } from "../load/index.ts";
import { isCount, isName, parsedMessage } from "./wire.ts";

/** What one replica has booked on one rank: totals, not changes. */
export interface LoadRow {
  /** Of the rank, the same on every replica; see `RankNames`. */
  readonly rank: string;
  readonly load: RankLoad;
}

/** One message of a replica to its siblings. */
export interface LoadMessage {
  /** The sender: one start of one process. */
  readonly from: string;
  /** For people. */
  readonly name: string;
  /** Counts the sender's messages, from 1. */
  readonly number: number;
  /** The round that this message is of or follows; in a round the sender tells of every rank that it has booked anything on. */
  readonly round: number;
  readonly rows: readonly LoadRow[];
  /** The last message of its round: ranks that were not told of since it began are idle. */
  readonly endsRound: boolean;
  /** The sender has just come: siblings start a round, so that it need not wait for one. */
  readonly isHello: boolean;
  /** The sender leaves. */
  readonly isFarewell: boolean;
}

/** A row as it stands in a message. */
export function rowText({ rank, load }: LoadRow): string {
  const { requests, prefillTokens, decodeBlocks } = load;
  return `[${JSON.stringify(rank)},${Math.round(requests)},${Math.round(prefillTokens)},${Math.round(decodeBlocks)}]`;
}

/** The JSON text of a message. @param rows as `rowText` writes them */
export function messageText(message: Omit<LoadMessage, "rows">, rows: readonly string[]): string {
  const { from, name, number, round, endsRound, isHello, isFarewell } = message;
  const flags = `${endsRound ? ',"end":true' : ""}${isHello ? ',"hello":true' : ""}${isFarewell ? ',"bye":true' : ""}`;
  const head = `{"from":${JSON.stringify(from)},"name":${JSON.stringify(name)},"n":${number},"round":${round}${flags}`;
  return `${head},"rows":[${rows.join(",")}]}`;
}

/** Reads a message. Members that it does not know are passed over. @returns undefined when it is none */
export function readMessage(text: string, maxRows: number): LoadMessage | undefined {
  const json = parsedMessage(text);
  if (json === undefined) return undefined;
  const { from, name, n, round, rows, end, hello, bye } = json;
  if (!(isName(from) && isName(name) && isCount(n) && isCount(round))) return undefined;
  if (!(Array.isArray(rows) && rows.length <= maxRows && rows.every(isRow))) return undefined;
  return {
    from,
    name,
    number: n,
    round,
    rows: rows.map(([rank, requests, prefillTokens, decodeBlocks]) => ({
      rank,
      load: { requests, prefillTokens, decodeBlocks },
    })),
    endsRound: end === true,
    isHello: hello === true,
    isFarewell: bye === true,
  };
}

function isRow(row: unknown): row is [rank: string, requests: number, prefillTokens: number, decodeBlocks: number] {
  return Array.isArray(row) && isName(row[0]) && isCount(row[1]) && isCount(row[2]) && isCount(row[3]);
}
