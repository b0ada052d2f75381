import { readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { inRepository, type Manifest } from "./tools.ts";

/** Checks manifests against the recorded schemas of what is published (scripts/kubernetes/record-schemas.ts). */
export class PublishedSchemas {
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  readonly #schemas = new Map<string, object>();
  readonly #validators = new Map<string, ValidateFunction>();

  constructor() {
    for (const line of readFileSync(inRepository("test/fixtures/kubernetes/schemas.jsonl"), "utf8")
      .trim()
      .split("\n")) {
      const { apiVersion, kind, schema } = JSON.parse(line) as { apiVersion: string; kind: string; schema: object };
      this.#schemas.set(`${apiVersion} ${kind}`, schema);
    }
  }

  /** What is wrong with a manifest, one line a fault; empty = nothing. */
  faultsOf(manifest: Manifest): readonly string[] {
    const name = `${manifest.apiVersion} ${manifest.kind}`;
    const subject = `${name} ${manifest.metadata.name}`;
    const schema = this.#schemas.get(name);
    if (schema === undefined) return [`${name}: no schema is recorded`];
    const validate = this.#validators.get(name) ?? this.#ajv.compile(schema);
    this.#validators.set(name, validate);
    if (validate(manifest)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message = "", params }) => `${subject}${instancePath}: ${message} ${JSON.stringify(params)}`,
    );
  }
}
