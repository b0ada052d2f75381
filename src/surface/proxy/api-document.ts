import type { MountedRoute } from "./mounted-route.ts";

/** One method on one path. */
interface DocumentedCall {
  readonly summary: string;
  readonly method: "get" | "post" | "delete";
  readonly path: string;
  readonly answers: "json" | "json-or-events";
  /** Answered without a key as well. */
  readonly isOpen?: boolean;
}

/** What the proxy serves whatever its settings are. */
const calls: readonly DocumentedCall[] = [
  generating("/v1/chat/completions", "OpenAI's chat completions"),
  generating("/v1/completions", "OpenAI's completions"),
  generating("/v1/responses", "OpenAI's responses; with previous_response_id by the worker that made that one"),
  generating("/v1/messages", "Anthropic's messages"),
  generating("/generate", "SGLang's own generation, by text or token ids"),
  { method: "post", path: "/v1/messages/count_tokens", summary: "Tokens of a messages request", answers: "json" },
  { method: "post", path: "/v1/embeddings", summary: "OpenAI's embeddings", answers: "json" },
  { method: "post", path: "/v1/rerank", summary: "Documents by their relevance", answers: "json" },
  { method: "post", path: "/tokenize", summary: "Tokens of a text, by the engine", answers: "json" },
  { method: "get", path: "/v1/models", summary: "The models that are served", answers: "json" },
  { method: "get", path: "/v1/models/{model}", summary: "One of them", answers: "json" },
  { method: "get", path: "/v1/responses/{id}", summary: "An answer that its worker keeps", answers: "json-or-events" },
  { method: "delete", path: "/v1/responses/{id}", summary: "Forgets it", answers: "json" },
  {
    method: "post",
    path: "/v1/responses/{id}/cancel",
    summary: "Ends one that runs in the background",
    answers: "json",
  },
  { method: "get", path: "/v1/responses/{id}/input_items", summary: "What it was asked", answers: "json" },
  { method: "get", path: "/health", summary: "Whether requests are taken", answers: "json", isOpen: true },
  { method: "get", path: "/openapi.json", summary: "This document", answers: "json" },
];

function generating(path: string, summary: string): DocumentedCall {
  return { method: "post", path, summary, answers: "json-or-events" };
}

/**
 * JSON of the OpenAPI 3.1 document of the proxy. Bodies are the engines' affair: they are passed on as they are, and not described.
 * @param allowed paths of the settings that are forwarded as well
 * @param mounted routes that answer by themselves
 */
export function apiDocument(
  version: string,
  allowed: readonly string[],
  mounted: readonly MountedRoute[] = [],
): string {
  const paths: Record<string, Record<string, object>> = {};
  for (const call of calls) paths[call.path] = { ...paths[call.path], [call.method]: described(call) };
  for (const { method, path, operation } of mounted) {
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation };
  }
  const more = allowed.length === 0 ? "" : ` Forwarded as well, with any method: ${allowed.join(", ")}.`;
  const description = `Requests go to the worker that holds most of their prompt and is not too busy.${more}`;
  return JSON.stringify({
    openapi: "3.1.0",
    info: { title: "Pointsman proxy", version, description },
    paths,
    components: {
      schemas: { Error: errorSchema },
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer" },
        key: { type: "apiKey", in: "header", name: "x-api-key" },
      },
    },
  });
}

function described({ method, path, summary, answers, isOpen }: DocumentedCall): object {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const json = { "application/json": { schema: {} } };
  const events = answers === "json" ? {} : { "text/event-stream": { schema: { type: "string" } } };
  return {
    operationId: `${method}${path.replace(/[^a-z]+(.)?/gi, (_, letter: string | undefined) => letter?.toUpperCase() ?? "")}`,
    summary,
    ...(names.length === 0
      ? {}
      : { parameters: names.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } })) }),
    ...(method === "post"
      ? { requestBody: { required: true, content: { "application/json": { schema: { type: "object" } } } } }
      : {}),
    security: isOpen === true ? [{}] : [{ bearer: [] }, { key: [] }, {}],
    responses: {
      200: { description: "The worker's answer, as it came.", content: { ...json, ...events } },
      default: {
        description: "Refused by the proxy, in the API's own form, or by the worker.",
        content: { "application/json": { schema: { $ref: "#/components/schemas/Error" } } },
      },
    },
  };
}

const errorSchema = {
  type: "object",
  description: "OpenAI's form; Anthropic's paths have theirs.",
  required: ["error"],
  properties: {
    error: {
      type: "object",
      properties: {
        message: { type: "string" },
        type: { type: "string" },
        code: { type: ["string", "null"] },
        param: { type: ["string", "null"] },
      },
    },
  },
};
