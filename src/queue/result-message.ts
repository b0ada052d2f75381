import type { QueueResult } from "./queue-request.ts";

/** Reads a result as it stands in its list; undefined = it is none. Source: llm-d-async `api/api.go` ResultMessage. */
export function parseResult(text: string): QueueResult | undefined {
  const message = objectOf(text);
  const id = message?.["id"];
  if (message === undefined || typeof id !== "string" || id === "") return undefined;
  const { status_code: status, payload, error_code: code, error_message: reason, request_token: token } = message;
  return {
    id,
    statusCode: Number.isInteger(status) && Number(status) > 0 ? Number(status) : undefined,
    payload: typeof payload === "string" ? payload : "",
    errorCode: filled(code),
    errorMessage: filled(reason),
    requestToken: filled(token),
  };
}

function objectOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function filled(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
