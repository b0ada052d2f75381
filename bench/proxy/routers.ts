import { readdirSync, readFileSync } from "node:fs";
import { access, mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePorts } from "../../test/e2e/support/free-ports.ts";
import { testModelFolder } from "../../test/e2e/support/model-folder.ts";
import { OwnProcess } from "../../test/e2e/support/own-process.ts";
import { until } from "../../test/e2e/support/until.ts";

/** Something that takes requests, in a process of its own. */
export interface Target {
  readonly name: string;
  readonly port: number;
  /** Undefined = its resources are not looked at. */
  readonly process: OwnProcess | undefined;
}

/** The workers, and the routers before them. */
export interface Stage {
  /** One worker itself, first; this build; and the peers, each as its release comes. */
  readonly targets: readonly Target[];
  /** This build in two processes on one port; undefined = not asked for. */
  readonly sharded: Target | undefined;
  /** Ports. */
  readonly workers: readonly number[];
  close(): Promise<void>;
}

const root = fileURLToPath(new URL("../../", import.meta.url));
const peersHome = process.env["PEERS_HOME"] ?? join(homedir(), ".cache/peers/http-routers");
const workerCount = 4;

export interface StageSetup {
  /** Two workers prefill and two decode, as SGLang's do. */
  readonly isSplit: boolean;
  /** Whether this build is started in two processes as well. Default false. */
  readonly hasShards?: boolean;
  /** Script of a worker, which prints its port. Default: one that answers at once. */
  readonly workerFile?: string;
}

/** Starts four workers, and before them this build, and the peers that are installed. */
export async function startStage({
  isSplit,
  hasShards = false,
  workerFile = "bench/proxy/worker.ts",
}: StageSetup): Promise<Stage> {
  const folder = await mkdtemp(join(tmpdir(), "pointsman-bench-proxy-"));
  const running: OwnProcess[] = [];
  const own = async (name: string, file: string, args: readonly string[]) => {
    const child = await OwnProcess.start({ name, file, args, cwd: root });
    running.push(child);
    return child;
  };
  const close = async () => {
    for (const child of running.toReversed()) await child.end("SIGTERM", 3_000);
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const workers = await Promise.all(Array.from({ length: workerCount }, () => startWorker(own, workerFile)));
    const direct: Target = { name: "direct", port: workers[0] ?? 0, process: undefined };
    const targets = [
      direct,
      await startOurs(own, folder, workers, { name: "pointsman", isSplit, shards: 1 }),
      ...(await startPeers(own, workers, isSplit)),
    ];
    const two = { name: "2 shards", isSplit, shards: 2 };
    const sharded = hasShards ? await startOurs(own, folder, workers, two) : undefined;
    return { targets, sharded, workers, close };
  } catch (error) {
    await close();
    throw error;
  }
}

type Start = (name: string, file: string, args: readonly string[]) => Promise<OwnProcess>;

async function startWorker(own: Start, file: string): Promise<number> {
  const child = await own("worker", process.execPath, [file]);
  return await until(() => Number(child.lines[0]) || undefined, { what: "a worker's port" });
}

/** Exact tokens of Qwen3, guessed caches: what the workers hold is not published. */
async function startOurs(
  own: Start,
  folder: string,
  workers: readonly number[],
  { name, isSplit, shards }: { readonly name: string; readonly isSplit: boolean; readonly shards: number },
): Promise<Target> {
  const [port = 0] = await freePorts(1);
  const file = join(folder, `proxy-${shards}.yaml`);
  const part = (i: number) =>
    isSplit ? `, role: ${i % 2 === 0 ? "prefill" : "decode"}, handover: { protocol: sglang, bootstrapPort: 8998 }` : "";
  const list = workers.map((worker, i) => `{ name: w${i}, endpoint: "127.0.0.1:${worker}"${part(i)} }`).join(", ");
  const lines = [
    "mode: proxy",
    "metrics: { listen: 'off' }",
    `proxy: { listen: "127.0.0.1:${port}" }`,
    `models: [{ name: qwen3, folder: "${testModelFolder()}", profile: vllm }]`,
    `workers: [${list}]`,
  ];
  await writeFile(file, lines.join("\n"));
  const args = ["dist/main.js", "serve", "--config", file, ...(shards === 1 ? [] : ["--shards", `${shards}`])];
  const child = await own(name, process.execPath, args);
  await until(() => child.lines.some((line) => /the (picker is|shards are) ready/.test(line)), {
    what: name,
    timeoutMs: 60_000,
    check: () => child.assertRunning(),
  });
  return { name, port, process: child };
}

/** SMG, vllm-router and sglang-router as their wheels bring them, in virtual environments of their own below PEERS_HOME. */
async function startPeers(own: Start, workers: readonly number[], isSplit: boolean): Promise<readonly Target[]> {
  const urls = workers.map((worker) => `http://127.0.0.1:${worker}`);
  const [smg = 0, smgMetrics = 0, vllm = 0, vllmMetrics = 0, sglang = 0, sglangMetrics = 0] = await freePorts(6);
  const common = (port: number, metricsPort: number) => [
    ...["--host", "127.0.0.1", "--port", `${port}`, "--prometheus-host", "127.0.0.1"],
    ...["--prometheus-port", `${metricsPort}`, "--policy", "cache_aware", "--worker-startup-check-interval", "1"],
    ...(isSplit ? pairArguments(urls) : ["--worker-urls", ...urls]),
  ];
  const peers = [
    {
      name: "SMG",
      port: smg,
      file: "venv-smg/bin/smg",
      args: ["launch", ...common(smg, smgMetrics), "--disable-tokenizer-autoload", "--log-level", "warn"],
    },
    {
      name: "vllm-router",
      port: vllm,
      file: "venv-vllm_router/bin/vllm-router",
      args: [...common(vllm, vllmMetrics), "--log-level", "warning"],
    },
    {
      name: "sglang-router",
      port: sglang,
      file: "venv-sglang_router/bin/sglang-router",
      args: ["launch", ...common(sglang, sglangMetrics), "--log-level", "warn"],
    },
  ].slice(0, isSplit ? 1 : 3);
  const targets: Target[] = [];
  for (const { name, port, file, args } of peers) {
    const path = join(peersHome, file);
    if (
      !(await access(path).then(
        () => true,
        () => false,
      ))
    ) {
      console.log(`${name} is left out: ${path} is not there`);
      continue;
    }
    const child = await own(name, path, args);
    await until(() => answers(port), {
      what: name,
      timeoutMs: 60_000,
      intervalMs: 200,
      check: () => child.assertRunning(),
    });
    targets.push({ name, port, process: child });
  }
  return targets;
}

/** SMG's; vllm-router does not split requests as SGLang wants it. */
function pairArguments(urls: readonly string[]): readonly string[] {
  const own = urls.flatMap((url, i) => (i % 2 === 0 ? ["--prefill", url, "8998"] : ["--decode", url]));
  return ["--pd-disaggregation", ...own];
}

/** Whether a router takes connections and has workers. */
async function answers(port: number): Promise<boolean> {
  const isOpen = await new Promise<boolean>((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true)).on("error", () => resolve(false));
    socket.on("connect", () => socket.destroy());
  });
  if (!isOpen) return false;
  const body = JSON.stringify({ model: "qwen3", messages: [{ role: "user", content: "hi" }] });
  const headers = { "content-type": "application/json" };
  const answer = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, { method: "POST", headers, body });
  await answer.arrayBuffer();
  return answer.ok;
}

/** CPU time that a process, its threads and its children have used, ms. */
export function cpuMs({ pid }: Pick<OwnProcess, "pid">): number {
  let ns = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    ns += Number(textOf(`/proc/${pid}/task/${thread}/schedstat`).split(" ", 1)[0]);
  }
  return familyOf(pid).reduce((sum, child) => sum + cpuMs({ pid: child }), ns / 1e6);
}

function familyOf(pid: number): readonly number[] {
  const children = readdirSync(`/proc/${pid}/task`).map((thread) => textOf(`/proc/${pid}/task/${thread}/children`));
  return children.flatMap((line) => line.split(" ").filter(Boolean)).map(Number);
}

/** "" of a thread that has ended meanwhile. */
function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/** Memory that a process has in use, bytes. */
export function residentBytes({ pid }: OwnProcess): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) * 1024;
}
