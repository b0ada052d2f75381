import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const module = "github.com/llm-d/llm-d-router";
const version = "v0.10.0";

/** An endpoint picker to compare with, or why there is none. */
export type PeerBinary = { readonly file: string; readonly label: string } | { readonly missing: string };

/**
 * llm-d's endpoint picker, built once into `.cache/` from its pinned Go module.
 * @param ownBuild a binary to take instead
 */
export function findPeer(ownBuild: string | undefined): PeerBinary {
  if (ownBuild !== undefined) {
    return existsSync(ownBuild) ? { file: ownBuild, label: ownBuild } : { missing: `there is no file ${ownBuild}` };
  }
  const folder = fileURLToPath(new URL(`../../.cache/llm-d-router-${version}`, import.meta.url));
  const file = `${folder}/epp`;
  try {
    if (!existsSync(file)) install(folder);
    return { file, label: `llm-d-router ${version}` };
  } catch (error) {
    return { missing: `${module}/cmd/epp@${version} cannot be built: ${reason(error)}` };
  }
}

function install(folder: string): void {
  console.log(`Building ${module} ${version} once; this takes some minutes.`);
  const env = { ...process.env, GOBIN: folder, CGO_ENABLED: "0" };
  execFileSync("go", ["install", "-trimpath", `${module}/cmd/epp@${version}`], {
    env,
    encoding: "utf8",
    stdio: "pipe",
  });
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ("code" in error && error.code === "ENOENT") return "no Go tool chain is installed";
  const said = "stderr" in error ? String(error.stderr).trim() : "";
  return said === "" ? error.message : said.split("\n").slice(-3).join("\n");
}
