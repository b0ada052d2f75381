import { parseDocument } from "yaml";
import type { z } from "zod";
import { ConfigError } from "./config-error.ts";
import { apiKeyList } from "./sections/proxy.ts";
import { queueApiKeyList } from "./sections/queue-callers.ts";
import { yamlValue } from "./yaml-value.ts";

/** One entry of `proxy.apiKeys`. */
export type ApiKeySettings = Readonly<z.output<typeof apiKeyList>[number]>;

/** One entry of `queue.apiKeys`. */
export type QueueApiKeySettings = Readonly<z.output<typeof queueApiKeyList>[number]>;

/** What entries may hold, by the section that they are of. */
const lists = { proxy: apiKeyList, queue: queueApiKeyList };

/**
 * Reads the entries of a key file.
 * @param file its path, for messages
 * @throws ConfigError naming the entries that are wrong, without their values
 */
export function parseApiKeys(
  text: string,
  file: string,
  section: keyof typeof lists,
): readonly (ApiKeySettings & QueueApiKeySettings)[] {
  const document = parseDocument(text);
  const unusable = () => new ConfigError([`${file}: this is no YAML`]);
  if (document.errors.length > 0) throw unusable();
  const parsed = lists[section].safeParse(yamlValue(document, unusable) ?? []);
  if (parsed.success) return parsed.data;
  throw new ConfigError(parsed.error.issues.map(({ path, message }) => `${file}: [${path.join(".")}]: ${message}`));
}
