/** Which API a request speaks; `promptless` has no prompt of ours to tokenize. */
export type RequestApi = "chat" | "completions" | "responses" | "messages" | "promptless";

const promptApis: ReadonlyMap<string, RequestApi> = new Map<string, RequestApi>([
  ["/v1/chat/completions", "chat"],
  ["/v1/completions", "completions"],
  ["/v1/responses", "responses"],
  ["/v1/messages", "messages"],
]);

const promptlessPaths: ReadonlySet<string> = new Set([
  "/v1/embeddings",
  "/v1/rerank",
  "/v2/rerank",
  "/rerank",
  "/v1/score",
  "/score",
  "/v1/models",
  "/tokenize",
  "/detokenize",
  "/v1/moderations",
  "/pooling",
  "/v1/pooling",
  "/classify",
  "/v1/classify",
  "/v1/files",
  "/v1/batches",
  "/v1/videos",
  "/v1/messages/count_tokens",
  "/v1/responses/input_tokens",
]);

/** Everything below these is promptless too. */
const promptlessPrefixes = ["/v1/models/", "/v1/audio/", "/v1/images/", "/v1/videos/", "/v1/files/", "/v1/batches/"];

/** Whether a path is the one by which SGLang takes a prompt without any template. */
export function isGeneratePath(path: string | undefined): boolean {
  return path !== undefined && withoutQuery(path) === "/generate";
}

function withoutQuery(path: string): string {
  const query = path.indexOf("?");
  return query === -1 ? path : path.slice(0, query);
}

/**
 * The API that a path names: the query is dropped, the rest compared exactly (no trailing slash, case folding or percent decoding),
 * as Dynamo's request_api_from_path does. Undefined for a path that names none, or no path: the body decides then.
 */
export function requestApiFromPath(path: string | undefined): RequestApi | undefined {
  if (path === undefined) return undefined;
  const bare = withoutQuery(path);
  const api = promptApis.get(bare);
  if (api !== undefined) return api;
  return promptlessPaths.has(bare) || promptlessPrefixes.some((prefix) => bare.startsWith(prefix))
    ? "promptless"
    : undefined;
}
