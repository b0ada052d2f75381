import { errorSchema } from "./error-answer.ts";
import type { JsonSchema } from "./json-schema.ts";
import type { Operation, ParameterDescription } from "./operation.ts";

/** What the document says besides the operations. */
export interface OpenApiInfo {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  /** What the tags of the operations mean, in the order to show them. */
  readonly tags: readonly { readonly name: string; readonly description: string }[];
}

const errorReference: JsonSchema = { $ref: "#/components/schemas/Error" };

/** The OpenAPI 3.1 document of the operations, made from what they are served by. */
export function openApiDocument(info: OpenApiInfo, operations: readonly Operation[]): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    paths[operation.path] ??= {};
    (paths[operation.path] as Record<string, object>)[operation.method.toLowerCase()] = describe(operation);
  }
  const { tags, ...rest } = info;
  return {
    openapi: "3.1.0",
    info: rest,
    tags,
    paths,
    components: {
      schemas: { Error: errorSchema },
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
    },
  };
}

function describe(operation: Operation): object {
  const { id, tag, summary, description, parameters = [], body, access } = operation;
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description === undefined ? {} : { description }),
    ...(parameters.length === 0 ? {} : { parameters: parameters.map(describeParameter) }),
    ...(body === undefined ? {} : { requestBody: { required: true, content: jsonContent(body) } }),
    // A token is asked for only when one is configured.
    security: access === "open" ? [{}] : [{ token: [] }, {}],
    responses: responses(operation),
  };
}

function describeParameter({ name, in: place, description, schema }: ParameterDescription): object {
  return { name, in: place, required: place === "path", description, schema };
}

function responses({ answers }: Operation): object {
  const described = Object.entries(answers).map(([status, { description, schema }]): [string, object] => {
    const content = schema ?? (Number(status) >= 400 ? errorReference : undefined);
    return [status, content === undefined ? { description } : { description, content: jsonContent(content) }];
  });
  return {
    ...Object.fromEntries(described),
    default: { description: "Refused.", content: jsonContent(errorReference) },
  };
}

function jsonContent(schema: JsonSchema): object {
  return { "application/json": { schema } };
}
