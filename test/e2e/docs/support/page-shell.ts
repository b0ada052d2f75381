import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { until } from "../../support/until.ts";
import { type PageFolder, root } from "./page-folder.ts";
import { isInBackground, isServer, readyLine } from "./statements.ts";

/** What came of one command. */
export interface Ran {
  readonly statement: string;
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface RunningServer {
  readonly statement: string;
  readonly pid: number;
  readonly outputFile: string;
  /** It has no `&`: a terminal of its own, until its block ends. */
  readonly isInForeground: boolean;
}

/**
 * A network, a process table and a view of the disk of its own, without root: documented ports are free there, nothing outlives it, and no command
 * can write to the repository.
 */
const ownMachine = ["--map-root-user", "--net", "--pid", "--fork", "--kill-child=KILL", "--mount-proc"];

const readOnly = `mount --bind "${root}" "${root}" && mount -o remount,bind,ro "${root}"`;

/** Whether this machine lets anybody have that. Where not, pages run one by one on the machine's own ports. */
export const isIsolated = spawnSync("unshare", [...ownMachine, "sh", "-c", readOnly]).status === 0;

/** Brings the loopback interface up: SIOCGIFFLAGS, SIOCSIFFLAGS with IFF_UP. */
const loopbackUp = `python3 -c 'import fcntl, socket, struct
s = socket.socket()
name, flags = struct.unpack("16sh", fcntl.ioctl(s, 0x8913, struct.pack("16sh", b"lo", 0)))
fcntl.ioctl(s, 0x8914, struct.pack("16sh", b"lo", flags | 1))'`;

/** On a busy machine; none takes over ten seconds on an idle one. */
const statementTimeoutMs = 120_000;

/** The terminal of a page: one bash, in which commands leave variables and jobs to those after them. */
export class PageShell {
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #done = new Map<number, { readonly exitCode: number; readonly pid: number }>();
  #servers: RunningServer[] = [];
  #count = 0;

  private constructor(child: ChildProcess, folder: string) {
    this.#child = child;
    this.#folder = folder;
    if (child.stdout === null) throw new Error("the shell has no output");
    createInterface({ input: child.stdout }).on("line", (line) => this.#read(line));
  }

  static async start(folder: PageFolder): Promise<PageShell> {
    const bash = ["bash", "--norc", "--noprofile"];
    const [file = "", ...args] = isIsolated ? ["unshare", ...ownMachine, ...bash] : bash;
    const options = { cwd: folder.path, env: { ...folder.environment }, stdio: ["pipe", "pipe", "ignore"] as const };
    const child = spawn(file, args, { ...options, stdio: [...options.stdio] });
    await once(child, "spawn");
    await mkdir(join(folder.path, ".ran"));
    const shell = new PageShell(child, folder.path);
    // Job control, as in a terminal: `kill %1` ends a job with all that it started.
    child.stdin?.write(`set -m\n${isIsolated ? `${readOnly}\n${loopbackUp}` : ":"}\n`);
    return shell;
  }

  /** Runs one command to its end; a server without `&` only until it is ready, or has ended by itself. */
  async run(statement: string): Promise<Ran> {
    const number = this.#count++;
    const base = join(this.#folder, ".ran", `${number}`);
    const isOwnTerminal = isServer(statement) && !isInBackground(statement);
    await writeFile(`${base}.sh`, isOwnTerminal ? `${statement.replace(/\s*(?:#.*)?\n$/, "")} &\n` : statement);
    this.#child.stdin?.write(`. ${base}.sh >${base}.out 2>${base}.err </dev/null; echo "done ${number} $? $!"\n`);
    const what = `the end of: ${statement}`;
    const { exitCode, pid } = await until(() => this.#done.get(number), { what, timeoutMs: statementTimeoutMs });
    if (isServer(statement)) {
      this.#servers.push({ statement, pid, outputFile: base, isInForeground: isOwnTerminal });
      if (isOwnTerminal) await this.serversReady();
    }
    const [stdout, stderr] = await Promise.all([readFile(`${base}.out`, "utf8"), readFile(`${base}.err`, "utf8")]);
    return { statement, exitCode, stdout, stderr };
  }

  /** Waits until every server that runs has said that it can be used. Rejects with the output of one that did not. */
  async serversReady(): Promise<void> {
    for (const server of this.#servers) {
      const isReady = async () => readyLine.test(await this.#outputOf(server)) || !(await this.#isRunning(server));
      await until(isReady, { what: `it to be ready: ${server.statement}`, timeoutMs: statementTimeoutMs }).catch(
        async (cause) => {
          throw new Error(await this.#outputOf(server), { cause });
        },
      );
      if (readyLine.test(await this.#outputOf(server))) continue;
      throw new Error(`it ended before it was ready: ${server.statement}\n${await this.#outputOf(server)}`);
    }
  }

  /** Stops what runs in terminals of its own, with Ctrl-C. */
  async endForeground(): Promise<void> {
    for (const { pid, statement } of this.#servers.filter(({ isInForeground }) => isInForeground)) {
      // npx passes no exit code on for a signal.
      const { exitCode } = await this.run(`kill -INT -- -${pid} && wait ${pid}\n`);
      if (![0, 130, 143].includes(exitCode)) throw new Error(`Ctrl-C ended it with ${exitCode}: ${statement}`);
    }
    this.#servers = this.#servers.filter(({ isInForeground }) => !isInForeground);
  }

  /** Ends all of it. */
  async close(): Promise<void> {
    const closed = once(this.#child, "close");
    this.#child.stdin?.end('for job in $(jobs -p); do kill -- -"$job"; done; wait\n');
    const killer = setTimeout(() => this.#child.kill("SIGKILL"), 10_000);
    await closed;
    clearTimeout(killer);
  }

  async #isRunning({ pid }: RunningServer): Promise<boolean> {
    return (await this.run(`kill -0 ${pid}\n`)).exitCode === 0;
  }

  async #outputOf({ outputFile }: RunningServer): Promise<string> {
    const [stdout, stderr] = await Promise.all(["out", "err"].map((end) => readFile(`${outputFile}.${end}`, "utf8")));
    return `${stdout}${stderr}`.slice(-20_000);
  }

  #read(line: string): void {
    const [, number, exitCode, pid] = /^done (\d+) (\d+) (\d*)$/.exec(line) ?? [];
    if (number !== undefined) this.#done.set(Number(number), { exitCode: Number(exitCode), pid: Number(pid) });
  }
}
