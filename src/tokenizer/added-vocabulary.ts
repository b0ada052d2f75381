import { asList, asShape, type Shape } from "./json-shape.ts";
import type { AddedToken } from "./special-tokens.ts";
import { UnsupportedFeature } from "./unsupported-feature.ts";

/** Where an added token is looked for and what it becomes. */
export interface AddedId {
  readonly id: number;
  readonly content: string;
  readonly special: boolean;
  /** Looked for in the normalised text, after the others. */
  readonly normalized: boolean;
}

/**
 * The added tokens with the ids that the official engine gives them (tokenizers@0.23.2 added_vocabulary.rs add_tokens): an id that the model's
 * vocabulary has, else the next free one; the file's own ids do not count.
 */
export class AddedVocabulary {
  readonly #model: ReadonlyMap<string, number>;
  readonly #idOfContent = new Map<string, number>();
  readonly #tokens = new Map<number, AddedToken>();

  constructor(model: ReadonlyMap<string, number>) {
    this.#model = model;
  }

  /** Adds what one call of the engine's `add_tokens` would. */
  add(tokens: readonly AddedToken[]): void {
    let nextId = Math.max(this.#model.size, this.#highestId() + 1);
    for (const token of tokens) {
      const known = this.#idOfContent.get(token.content);
      if (token.content === "" || (known !== undefined && isSame(this.#tokens.get(known), token))) continue;
      const id = known ?? this.#model.get(token.content) ?? nextId++;
      this.#idOfContent.set(token.content, id);
      this.#tokens.set(id, token);
    }
  }

  /** @throws UnsupportedFeature for a token that takes white space around it or must stand alone */
  entries(): readonly AddedId[] {
    return [...this.#tokens].map(([id, { content, special, normalized, ...flags }]) => {
      if (flags.leftStrip || flags.rightStrip || flags.singleWord) {
        throw new UnsupportedFeature(`added token ${JSON.stringify(content)} with lstrip, rstrip or single_word`);
      }
      return { id, content, special, normalized };
    });
  }

  #highestId(): number {
    let highest = -1;
    for (const id of this.#tokens.keys()) highest = Math.max(highest, id);
    return highest;
  }
}

/** The `added_tokens` of a tokenizer.json. */
export function readAddedTokens(list: unknown): readonly AddedToken[] {
  return asList(list ?? [], "added_tokens").map((item) => {
    const token = asShape(item, "added_tokens");
    const { content } = token;
    if (typeof content !== "string") throw new UnsupportedFeature("an added token without content");
    return {
      content,
      singleWord: flag(token, "single_word"),
      leftStrip: flag(token, "lstrip"),
      rightStrip: flag(token, "rstrip"),
      normalized: flag(token, "normalized"),
      special: flag(token, "special"),
    };
  });
}

function flag(token: Shape, name: string): boolean {
  const value = token[name];
  if (typeof value !== "boolean") throw new UnsupportedFeature(`an added token without ${name}`);
  return value;
}

function isSame(known: AddedToken | undefined, token: AddedToken): boolean {
  return (
    known !== undefined &&
    known.special === token.special &&
    known.normalized === token.normalized &&
    known.singleWord === token.singleWord &&
    known.leftStrip === token.leftStrip &&
    known.rightStrip === token.rightStrip
  );
}
