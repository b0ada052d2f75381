import { ConfigError, loadConfig } from "../../../src/config/index.ts";

/** What is wrong with settings, in a file's form; `accepted` when nothing is. */
export function messageOf(text: string): string {
  try {
    loadConfig({ text, env: {} });
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  return "accepted";
}
