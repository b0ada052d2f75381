import type { ConsoleState } from "../surface/admin/index.ts";

/** What is said of a state that cannot be drawn, of a picker of another version perhaps. */
export function unshowable({ version }: ConsoleState, cause: unknown): Error {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new Error(`what picker ${String(version)} says cannot be shown by this version: ${reason}`, { cause });
}
