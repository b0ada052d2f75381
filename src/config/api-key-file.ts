import { parseDocument } from "yaml";
import type { z } from "zod";
import { ConfigError } from "./config-error.ts";
import { apiKeyList } from "./sections/proxy.ts";

/** One entry of `proxy.apiKeys`. */
export type ApiKeySettings = Readonly<z.output<typeof apiKeyList>[number]>;

/**
 * Reads the entries of a key file.
 * @param file its path, for messages
 * @throws ConfigError naming the entries that are wrong, without their values
 */
export function parseApiKeys(text: string, file: string): readonly ApiKeySettings[] {
  const document = parseDocument(text);
  if (document.errors.length > 0) throw new ConfigError([`${file}: this is no YAML`]);
  const parsed = apiKeyList.safeParse(document.toJS() ?? []);
  if (parsed.success) return parsed.data;
  throw new ConfigError(parsed.error.issues.map(({ path, message }) => `${file}: [${path.join(".")}]: ${message}`));
}
