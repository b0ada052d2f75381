import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { stringify } from "yaml";
import { freePorts } from "../../test/e2e/support/free-ports.ts";
import { testModelFolder } from "../../test/e2e/support/model-folder.ts";
import { OwnProcess } from "../../test/e2e/support/own-process.ts";
import { until } from "../../test/e2e/support/until.ts";
import { type RunningPicker, untilListening, workerCount } from "./running-picker.ts";

/** Starts the picker as users run it, from dist/, with workers that nobody asks. @param folder where its settings go */
export async function startOurs(folder: string, profile: string): Promise<RunningPicker> {
  const [port = 0, healthPort = 0] = await freePorts(2);
  const file = join(folder, "picker.yaml");
  await writeFile(file, stringify(settings(port, healthPort, profile)));
  const args = ["dist/main.js", "serve", "--config", file];
  const child = await OwnProcess.start({ name: "picker", file: process.execPath, args });
  try {
    await untilListening(child, port);
    await until(() => child.tail(1_000).includes("the picker is ready"), { what: "the models", timeoutMs: 60_000 });
  } catch (error) {
    await child.end();
    throw error;
  }
  return { port, pid: child.pid, stop: async () => void (await child.end()) };
}

function settings(port: number, healthPort: number, profile: string) {
  return {
    extProc: { listen: `127.0.0.1:${port}`, tls: { mode: "off" } },
    health: { listen: `127.0.0.1:${healthPort}` },
    metrics: { listen: "off" },
    log: { level: "info" },
    fleet: { healthCheck: { enabled: false } },
    models: [{ name: "sim-model", folder: testModelFolder(), profile }],
    workers: Array.from({ length: workerCount }, (_, i) => ({ name: `worker-${i}`, endpoint: `10.0.0.${i + 1}:8000` })),
  };
}
