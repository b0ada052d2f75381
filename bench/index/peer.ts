import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = fileURLToPath(new URL("peer", import.meta.url));
const target = fileURLToPath(new URL("../../.cache/index-peer", import.meta.url));

/** Dynamo's index around a command line, or why there is none. */
export type IndexPeer = { readonly file: string } | { readonly missing: string };

/** Builds `peer/` with the published crate dynamo-kv-router 1.6.1 into `.cache/`, the first time some minutes. */
export function findPeer(): IndexPeer {
  const own = join(homedir(), ".cargo", "bin", "cargo");
  try {
    const env = { ...process.env, CARGO_TARGET_DIR: target };
    const args = ["build", "--release", "--locked", "--quiet"];
    execFileSync(existsSync(own) ? own : "cargo", args, { cwd: folder, env, encoding: "utf8", stdio: "pipe" });
    return { file: join(target, "release", "index-peer") };
  } catch (error) {
    return { missing: reason(error) };
  }
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ("code" in error && error.code === "ENOENT") return "no Rust tool chain is installed";
  return "stderr" in error ? String(error.stderr).trim().split("\n").slice(-3).join("\n") : error.message;
}
