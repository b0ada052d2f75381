import { InvalidArgumentError } from "commander";

/** Reads a flag's value. What `parse` throws is told as the flag's fault. */
export function argument<T>(parse: (text: string) => T, text: string): T {
  try {
    return parse(text);
  } catch (cause) {
    // biome-ignore lint/style/useErrorCause: commander's error takes a message only, and prints it as the argument's fault.
    throw new InvalidArgumentError(cause instanceof Error ? cause.message : String(cause));
  }
}

/** @throws InvalidArgumentError */
export function milliseconds(text: string): number {
  const value = Number(text);
  if (!(value >= 0)) throw new InvalidArgumentError("expected a number of milliseconds");
  return value;
}

/** A count, 1 or more. @throws RangeError */
export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!(Number.isSafeInteger(value) && value >= 1)) throw new RangeError("expected a whole number, 1 or more");
  return value;
}

/** @throws RangeError */
export function positiveNumber(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value < Number.POSITIVE_INFINITY)) throw new RangeError("expected a number over 0");
  return value;
}

/** Seconds between two looks at something. @throws RangeError */
export function intervalSeconds(text: string): number {
  const value = Number(text);
  if (!(value >= 0.1 && value <= 3_600)) throw new RangeError("expected seconds from 0.1 to 3600");
  return value;
}
