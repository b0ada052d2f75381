import { prose, seededRandom } from "../../support/load/index.ts";
import type { Talk } from "./client.ts";

/** The first question of a conversation of about `words` words; another seed differs from the first words on. */
export function opening(seed: number, words = 300): Talk {
  return { system: `You are assistant ${seed}.`, past: [], question: prose(words, seededRandom(seed)) };
}

/** The conversation with the model's answer and the user's next question. */
export function continued(talk: Talk, answer: string, question: string): Talk {
  return { ...talk, past: [...talk.past, { question: talk.question, answer }], question };
}

/** ASCII prose of exactly `bytes` bytes that needs no escape in JSON. */
export function proseOfBytes(seed: number, bytes: number): string {
  const text = prose(bytes / 4 + 10, seededRandom(seed)).replaceAll("\n", " ");
  if (text.length < bytes) throw new RangeError(`the prose has only ${text.length} of ${bytes} bytes`);
  return text.slice(0, bytes);
}
