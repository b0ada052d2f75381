import { Buffer } from "node:buffer";

/** @param coded matches the runs of characters whose UTF-8 is to be written as `%XX` */
export function percentEncode(text: string, coded: RegExp): string {
  return text.replace(coded, (run) =>
    Array.from(Buffer.from(run), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join(""),
  );
}
