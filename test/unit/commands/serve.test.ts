import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { serve } from "../../../src/commands/serve.ts";
import { loadConfig } from "../../../src/config/index.ts";

const folder = mkdtempSync(join(tmpdir(), "pointsman-serve-"));
const occupant: Server = createServer();
let taken = "";
beforeAll(async () => {
  occupant.listen(0, "127.0.0.1");
  await once(occupant, "listening");
  taken = `127.0.0.1:${(occupant.address() as AddressInfo).port}`;
});
afterAll(() => {
  occupant.close();
  rmSync(folder, { recursive: true });
});

const base = `
mode: ext-proc
mixedModes: [query]
models: [{ name: m, loadOnly: true }]
workers: [{ name: a, endpoint: "127.0.0.1:1" }]
fleet: { healthCheck: { enabled: false } }
extProc: { listen: "127.0.0.1:0", tls: { mode: "off" } }
health: { listen: "127.0.0.1:0" }
metrics: { listen: "127.0.0.1:0" }
routeApi: { listen: "127.0.0.1:0" }
`;

/** Starts a picker that stops as soon as it stands. */
function start(set: readonly string[]): Promise<void> {
  const config = loadConfig({ text: base, env: {}, flags: { set } });
  return serve(config, pino({ level: "silent" }), AbortSignal.abort());
}

describe("the start of a picker", () => {
  it("is fine on free ports", async () => {
    await start([]);
  });

  it.each(["extProc.listen", "health.listen", "metrics.listen", "routeApi.listen"])(
    "that cannot listen on %s names the setting and the address",
    async (setting) => {
      await expect(start([`${setting}=${taken}`])).rejects.toThrow(
        `${setting}: cannot listen on ${taken}: address already in use (EADDRINUSE)`,
      );
    },
  );

  it("names a socket's path as well", async () => {
    const path = join(folder, "file");
    writeFileSync(path, "");
    await expect(start([`routeApi.socket=${path}`])).rejects.toThrow(`routeApi.socket: cannot listen on ${path}: `);
    const nowhere = join(folder, "none", "socket");
    await expect(start([`routeApi.socket=${nowhere}`])).rejects.toThrow(/^routeApi.socket: .*(ENOENT|EACCES)/);
  });
});
