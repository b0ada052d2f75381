import { once } from "node:events";
import { createServer } from "node:net";
import { type Config, listenersOf, parseAddress } from "../../config/index.ts";
import { ListenError } from "../../errors/index.ts";
import { isPortShared } from "./shard-config.ts";

/**
 * Checks that nobody else listens on the ports that shards are to share. The system would let another server's shards in beside ours, and
 * spread connections among both. @throws ListenError
 */
export async function assertPortsFree(config: Config): Promise<void> {
  if (!isPortShared(config)) return;
  for (const { path, listen } of listenersOf(config)) {
    const server = createServer();
    try {
      server.listen({ ...parseAddress(listen), exclusive: true });
      await once(server, "listening");
    } catch (cause) {
      throw new ListenError({ setting: path.join("."), address: listen }, { cause });
    }
    server.close();
    await once(server, "close");
  }
}
