import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { peerRecovery } from "../../../src/commands/peer-recovery.ts";
import { loadConfig } from "../../../src/config/index.ts";
import { ModelRegistry } from "../../../src/router/index.ts";
import { createLogger } from "../../../src/telemetry/index.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "pointsman-peers-"));
});
afterEach(() => rm(folder, { recursive: true }));

function start(peers: string) {
  const config = loadConfig({ env: {}, text: `replicas: {peers: {${peers}}}` });
  return peerRecovery(config, new ModelRegistry([]), createLogger({ level: "silent" }), () => []);
}

it("is none without peers", async () => {
  expect(await start("")).toBeUndefined();
});

it.each([
  { name: "is not there", text: undefined },
  { name: "is empty", text: "\n# nothing\n" },
  { name: "holds what no header can", text: "two words\n" },
])("refuses to start with a token file that $name, and names the setting", async ({ text }) => {
  const file = join(folder, "token");
  if (text !== undefined) await writeFile(file, text);
  await expect(start(`urls: ['http://a:1'], tokenFile: '${file}'`)).rejects.toThrow("replicas.peers.tokenFile: ");
});

it("starts with a token file that has one", async () => {
  const file = join(folder, "token");
  await writeFile(file, "# for the peers\nsecret\n");
  const recovery = await start(`urls: ['http://a:1'], tokenFile: '${file}'`);
  expect(recovery?.status.state).toBe("idle");
});
