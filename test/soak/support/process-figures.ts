import { readdir, readFile, readlink } from "node:fs/promises";

/** What Linux knows of a process. */
export interface ProcessFigures {
  /** Memory of its own, files that are mapped left out. */
  readonly rssBytes: number;
  readonly files: number;
  readonly sockets: number;
  /** CPU time since its start, in s. */
  readonly cpuS: number;
}

const ticksPerSecond = 100;

/** Reads them from /proc; undefined when there is no such process. */
export async function processFigures(pid: number): Promise<ProcessFigures | undefined> {
  try {
    const [status, stat, names] = await Promise.all([
      readFile(`/proc/${pid}/status`, "utf8"),
      readFile(`/proc/${pid}/stat`, "utf8"),
      readdir(`/proc/${pid}/fd`),
    ]);
    const links = await Promise.all(names.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => "")));
    // Behind the name in brackets, which may hold spaces; utime and stime are the fields 14 and 15 of all.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return {
      rssBytes: 1_024 * Number(/^RssAnon:\s+(\d+)/m.exec(status)?.[1] ?? 0),
      files: names.length,
      sockets: links.filter((link) => link.startsWith("socket:")).length,
      cpuS: (Number(fields[11]) + Number(fields[12])) / ticksPerSecond,
    };
  } catch {
    return undefined;
  }
}

/** The processes that a process has started and that are there. */
export async function childrenOf(pid: number): Promise<readonly number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8").catch(() => "");
  return text
    .split(" ")
    .filter((part) => part !== "")
    .map(Number);
}
