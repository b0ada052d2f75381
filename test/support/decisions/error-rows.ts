import { readFileSync } from "node:fs";
import type { RawAnswer } from "../proxy/raw-client.ts";

/** How both contracts write one error. Source: test/fixtures/decisions/http-errors.json, derived from ai-dynamo/dynamo. */
export interface ErrorRow {
  readonly case: string;
  readonly openai: { readonly status: number; readonly body: object };
  readonly systemone: { readonly status: number; readonly body: object };
  readonly headers: Readonly<Record<string, string>>;
}

const file = new URL("../../fixtures/decisions/http-errors.json", import.meta.url);
const { rows } = JSON.parse(readFileSync(file, "utf8")) as { readonly rows: readonly ErrorRow[] };

/** The row whose case begins so. */
export function errorRow(start: string): ErrorRow {
  const row = rows.find((each) => each.case.startsWith(start));
  if (row === undefined) throw new Error(`there is no row ${start}`);
  return row;
}

/** An answer as rows write it. */
export function shown(answer: RawAnswer): { readonly status: number; readonly body: unknown } {
  return { status: answer.status, body: JSON.parse(answer.body.toString("utf8")) };
}
