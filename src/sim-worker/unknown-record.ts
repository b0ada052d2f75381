/** A JSON object of unknown shape. */
export type UnknownRecord = Readonly<Record<string, unknown>>;

/** True for a JSON object: no array, no null. */
export function isRecord(value: unknown): value is UnknownRecord {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
