import type { Schema } from "./structural-schema.ts";

/**
 * Reads the schema that a generated TypeScript declaration states: members in quotes, `?` for those that may be absent, texts, numbers,
 * flags, lists, and unions of texts.
 * @param interfaceName of the interface in the text
 * @throws Error at what such a declaration does not hold
 */
export function declaredSchema(text: string, interfaceName: string): Schema {
  const start = text.indexOf(`interface ${interfaceName} {`);
  if (start < 0) throw new Error(`there is no ${interfaceName}`);
  const tokens = text
    .slice(start + `interface ${interfaceName} `.length)
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .matchAll(/"[^"]*"|[A-Za-z]+|[{}<>:;?|]/g);
  return new DeclarationReader(Array.from(tokens, ([token]) => token)).type();
}

class DeclarationReader {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  type(): Schema {
    const token = this.#next();
    if (token === "{") return this.#members();
    if (token.startsWith('"')) return this.#union(token);
    if (token === "string" || token === "number" || token === "boolean") return { type: token };
    if (token === "IObjectMeta") return { type: "object" };
    if (token === "Array") {
      this.#expect("<");
      const items = this.type();
      this.#expect(">");
      return { type: "array", items };
    }
    throw new Error(`a type was expected, not ${token}`);
  }

  #members(): Schema {
    const properties: Record<string, Schema> = {};
    const required: string[] = [];
    for (let token = this.#next(); token !== "}"; token = this.#next()) {
      const name = token.slice(1, -1);
      if (this.#peek() === "?") this.#next();
      else required.push(name);
      this.#expect(":");
      properties[name] = this.type();
      this.#expect(";");
    }
    return { type: "object", properties, additionalProperties: false, ...(required.length > 0 && { required }) };
  }

  #union(first: string): Schema {
    const texts = [first.slice(1, -1)];
    while (this.#peek() === "|") {
      this.#next();
      texts.push(this.#next().slice(1, -1));
    }
    return { enum: texts };
  }

  #peek(): string | undefined {
    return this.#tokens[this.#at];
  }

  #next(): string {
    const token = this.#tokens[this.#at++];
    if (token === undefined) throw new Error("the declaration ends early");
    return token;
  }

  #expect(token: string): void {
    const found = this.#next();
    if (found !== token) throw new Error(`${token} was expected, not ${found}`);
  }
}
