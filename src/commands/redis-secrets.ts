import { readFile } from "node:fs/promises";
import type { Config } from "../config/index.ts";
import type { RedisSecrets } from "../redis/index.ts";

/** What is set of how a Redis server is entered. */
type RedisEntrance = Pick<Config["replicas"]["redis"], "passwordFile" | "tls"> & {
  readonly sentinel?: { readonly passwordFile?: string | undefined };
};

/** Reads the files that the settings name. Rejects when one cannot be read. */
export async function readRedisSecrets({ passwordFile, tls, sentinel }: RedisEntrance): ReturnType<RedisSecrets> {
  const files = [passwordFile, sentinel?.passwordFile, tls.caFile, tls.certFile, tls.keyFile];
  const read = async (file: string | undefined) => (file === undefined ? undefined : await readFile(file, "utf8"));
  const [password, sentinelPassword, ca, cert, key] = await Promise.all(files.map(read));
  return {
    password: withoutLineBreak(password),
    sentinelPassword: withoutLineBreak(sentinelPassword),
    tls: {
      rejectUnauthorized: tls.verify,
      ...(tls.serverName === undefined ? {} : { servername: tls.serverName }),
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
    },
  };
}

/** Files end with one, passwords do not. */
function withoutLineBreak(text: string | undefined): string | undefined {
  return text?.replace(/\r?\n$/, "");
}
