import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

const home = join(import.meta.dirname, "..", "..", ".cache", "oracle");

/** The interpreter that has Dynamo and transformers, installed first when it is not there (about a minute and a half). */
export async function ensureOraclePython(): Promise<string> {
  const venv = join(home, "venv");
  await promisify(execFile)(join(import.meta.dirname, "setup.sh"), [venv]);
  return join(venv, "bin", "python");
}

/** A folder of its own for the processes of one run: what they register, and what they record. */
export class OracleFolder {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  static async make(): Promise<OracleFolder> {
    // It may be needed before Dynamo is installed.
    await mkdir(home, { recursive: true });
    return new OracleFolder(await mkdtemp(join(home, "run-")));
  }

  /** The environment of Dynamo's processes: they find each other by files in this folder and talk on the loopback address. */
  get environment(): Readonly<Record<string, string>> {
    return {
      ...definedVariables(),
      DYN_DISCOVERY_BACKEND: "file",
      DYN_FILE_KV: join(this.path, "discovery"),
      DYN_EVENT_PLANE: "zmq",
      DYN_EVENT_PLANE_HOST: "127.0.0.1",
      DYN_TCP_RPC_HOST: "127.0.0.1",
      DYN_TCP_RESPONSE_STREAM_HOST: "127.0.0.1",
      DYN_SELF_HOST_METADATA: "0",
      DYN_LOG: "error",
    };
  }

  async remove(): Promise<void> {
    await rm(this.path, { recursive: true, force: true });
  }
}

function definedVariables(): Record<string, string> {
  const defined = Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(defined);
}
