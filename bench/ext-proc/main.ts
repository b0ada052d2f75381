/**
 * CPU per pick and latency of the ext_proc server, driven by a client that plays Envoy (client/, in Go).
 *
 *   node bench/ext-proc/main.ts [--work shared,unique] [--sizes 1024,8192,65536,262144] [--connections 1,8] [--profile dynamo]
 *
 * The picker runs as users run it, from dist/, in plain text, with eight workers that nobody asks.
 */
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ensureModelFolder } from "../../scripts/models.ts";
import { buildClient } from "./build-client.ts";
import { freePort } from "./free-port.ts";
import { type Figures, parseFigures, printTable } from "./report.ts";

const clockTicksPerSecond = 100;
const requestsBySize = new Map([
  [1024, 3000],
  [8192, 2000],
  [65_536, 600],
  [262_144, 250],
]);

const { values } = parseArgs({
  options: {
    work: { type: "string", default: "shared,unique" },
    sizes: { type: "string", default: "1024,8192,65536,262144" },
    connections: { type: "string", default: "1,8" },
    profile: { type: "string", default: "dynamo" },
  },
});

/** User and system time of a process so far, ms. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / clockTicksPerSecond;
}

function pickerConfig(port: number, healthPort: number): string {
  const workers = Array.from({ length: 8 }, (_, i) => `  - { name: worker-${i}, endpoint: "10.0.0.${i + 1}:8000" }`);
  return `extProc: { listen: "127.0.0.1:${port}", tls: { mode: off } }
health: { listen: "127.0.0.1:${healthPort}" }
metrics: { listen: off }
log: { level: warn }
fleet: { healthCheck: { enabled: false } }
models:
  - { name: sim-model, folder: "${ensureModelFolder("qwen3")}", profile: ${values.profile} }
workers:
${workers.join("\n")}
`;
}

async function startPicker(folder: string, port: number) {
  const config = join(folder, "picker.yaml");
  writeFileSync(config, pickerConfig(port, await freePort()));
  const picker = spawn(process.execPath, ["dist/main.js", "serve", "--config", config], { stdio: "inherit" });
  await waitForPort(port);
  return picker;
}

async function waitForPort(port: number): Promise<void> {
  const { connect } = await import("node:net");
  for (let attempt = 0; attempt < 300; attempt++) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false));
      socket.on("connect", () => socket.destroy());
    });
    if (isOpen) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`nothing listens on port ${port} after 30 s`);
}

function measure(client: string, port: number, pid: number, work: string, size: number, connections: number): Figures {
  const requests = requestsBySize.get(size) ?? 500;
  const warmup = Math.ceil(requests / 5);
  const before = cpuMs(pid);
  const flags = { addr: `127.0.0.1:${port}`, work, size, c: connections, n: requests, warm: warmup };
  const args = Object.entries(flags).flatMap(([name, value]) => [`-${name}`, String(value)]);
  const line = execFileSync(client, args, { encoding: "utf8" });
  return parseFigures(line, (cpuMs(pid) - before) / (requests + warmup));
}

const folder = mkdtempSync(join(tmpdir(), "pointsman-bench-"));
const client = buildClient();
const port = await freePort();
const picker = await startPicker(folder, port);
try {
  const rows: Figures[] = [];
  for (const work of values.work.split(",")) {
    for (const size of values.sizes.split(",").map(Number)) {
      for (const connections of values.connections.split(",").map(Number)) {
        rows.push(measure(client, port, picker.pid ?? 0, work, size, connections));
      }
    }
  }
  printTable(rows);
  process.exitCode = rows.some((row) => row.failed > 0) ? 1 : 0;
} finally {
  picker.kill("SIGTERM");
  rmSync(folder, { recursive: true, force: true });
}
