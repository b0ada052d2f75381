import { RoutingError } from "../errors/index.ts";

/** An error as it is written to the log. */
export interface ErrorDescription {
  readonly type: string;
  readonly message: string;
  /** A routing error's code, or the system's (`ECONNREFUSED`). */
  readonly code?: string;
  readonly field?: string;
  /** Where it was made, without the message; absent for routing errors, which are answers and no faults. */
  readonly stack?: string;
  readonly cause?: ErrorDescription;
}

const maxDepth = 5;

/**
 * Type, message, code, stack and causes, and nothing else: other libraries hang inputs on their errors, and the engine's
 * syntax errors quote the text that they could not parse.
 */
export function describeError(error: unknown, depth = 0): ErrorDescription {
  if (!(error instanceof Error)) return { type: typeof error, message: "not an Error" };
  const isRouting = error instanceof RoutingError;
  const code = isRouting ? error.code : systemCode(error);
  const hasCause = error.cause !== undefined && depth < maxDepth;
  return {
    type: error.name,
    message: error instanceof SyntaxError ? "(not shown: it quotes the input)" : error.message,
    ...(code === undefined ? {} : { code }),
    ...(isRouting && error.field !== undefined ? { field: error.field } : {}),
    ...(isRouting && error.code !== "internal" ? {} : { stack: framesOf(error) }),
    ...(hasCause ? { cause: describeError(error.cause, depth + 1) } : {}),
  };
}

function systemCode(error: Error): string | undefined {
  return "code" in error && typeof error.code === "string" ? error.code : undefined;
}

/** The stack's frames. Its head repeats the message, in as many lines as that has. */
function framesOf(error: Error): string {
  return (error.stack ?? "")
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
    .join("\n");
}
