import type { QueueResult } from "./queue-request.ts";

/** Stands for a result that names its request and cannot be read any further. */
const unreadableResult = "UNREADABLE_RESULT";

/**
 * Reads a result as it stands in its list; undefined = it names no request. One that says nothing that can be used has the error code
 * `UNREADABLE_RESULT`. Source: llm-d-async `api/api.go` ResultMessage.
 */
export function parseResult(text: string): QueueResult | undefined {
  const message = objectOf(text);
  const id = message?.["id"];
  if (message === undefined || typeof id !== "string" || id === "") return undefined;
  const requestToken = filled(message["request_token"]);
  const fault = faultOf(message);
  if (fault !== undefined) {
    return { ...nothing, id, errorCode: unreadableResult, errorMessage: fault, requestToken };
  }
  const { status_code: status, payload, error_code: code, error_message: reason } = message;
  return {
    id,
    statusCode: typeof status === "number" && status !== 0 ? status : undefined,
    payload: typeof payload === "string" ? payload : "",
    errorCode: filled(code),
    errorMessage: filled(reason),
    requestToken,
  };
}

const nothing = { statusCode: undefined, payload: "" };

/** Go leaves out a status of 0, and always writes a payload. */
function faultOf({ status_code: status, payload, error_code: code }: Readonly<Record<string, unknown>>) {
  if (status !== undefined && status !== null && !Number.isInteger(status)) return "its status_code is no whole number";
  if (typeof payload !== "string" && filled(code) === undefined) return "its payload is no text";
  return undefined;
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
