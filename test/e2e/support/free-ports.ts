import { randomInt } from "node:crypto";
import { createServer } from "node:net";
import { inspect } from "node:util";

// Below Linux's ephemeral range (32768 and up), where an outgoing connection could take the port before the server does.
const firstPort = 18_000;
const lastPort = 32_000;

/** `count` different ports on which nothing listens on this machine. For servers that cannot be told to listen on port 0. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const ports = new Set<number>();
  for (let tries = 0; ports.size < count; tries++) {
    if (tries > 1_000) throw new Error(`no ${count} free ports between ${firstPort} and ${lastPort}`);
    const port = randomInt(firstPort, lastPort);
    if (!ports.has(port) && (await isFree(port))) ports.add(port);
  }
  return [...ports];
}

/** What `start` gives. Another process may take a port between the look and the listening: then it is tried again, thrice in all. */
export async function onFreePorts<T>(start: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start();
    } catch (error) {
      if (attempt === 3 || !/address already in use/i.test(inspect(error))) throw error;
    }
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "0.0.0.0", () => server.close(() => resolve(true)));
  });
}
