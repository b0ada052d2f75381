/** Longest name in a message. */
const maxNameLength = 128;

/** No number in a message is higher: sums over all replicas stay exact. */
const maxCount = 2 ** 40;

/** The members of a JSON object; undefined when the text is none. */
export function parsedMessage(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === "object" && json !== null ? { ...json } : undefined;
  } catch {
    return undefined;
  }
}

/** A name of a rank, a replica or a session. */
export function isName(value: unknown): value is string {
  return typeof value === "string" && value.length > 0 && value.length <= maxNameLength;
}

/** A whole number >= 0. */
export function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= maxCount;
}
