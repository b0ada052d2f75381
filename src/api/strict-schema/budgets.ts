import type { JsonObject } from "../../json/index.ts";
import { isList } from "../fields/index.ts";
import { childPointer, schemaError } from "./schema-node.ts";

const limits = { properties: 5_000, enumEntries: 1_000, characters: 120_000 };
const LONG_ENUM_ENTRIES = 250;
const LONG_ENUM_CHARACTERS = 15_000;

/** What one strict schema may hold in all; characters are code points of names, enum texts and const texts. */
export class SchemaBudgets {
  #properties = 0;
  #enumEntries = 0;
  #characters = 0;

  countEnum(schema: JsonObject, pointer: string): void {
    const entries = schema.get("enum");
    if (isList(entries)) {
      const texts = entries.filter((entry) => typeof entry === "string");
      const characters = texts.reduce((sum, entry) => sum + codePoints(entry), 0);
      this.#enumEntries += entries.length;
      this.#characters += characters;
      if (entries.length > LONG_ENUM_ENTRIES && texts.length === entries.length && characters > LONG_ENUM_CHARACTERS) {
        throw schemaError(childPointer(pointer, "enum"), `more than ${LONG_ENUM_CHARACTERS} characters in a long enum`);
      }
    }
    const constant = schema.get("const");
    if (typeof constant === "string") this.#characters += codePoints(constant);
  }

  countProperties(count: number): void {
    this.#properties += count;
  }

  countName(name: string): void {
    this.#characters += codePoints(name);
  }

  check(pointer: string): void {
    if (this.#properties > limits.properties) throw schemaError(pointer, `more than ${limits.properties} properties`);
    if (this.#enumEntries > limits.enumEntries)
      throw schemaError(pointer, `more than ${limits.enumEntries} enum entries`);
    if (this.#characters > limits.characters) throw schemaError(pointer, `more than ${limits.characters} characters`);
  }
}

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
