import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Builds the Go client once; @returns its path. @throws when no Go tool chain is installed */
export function buildClient(): string {
  const source = fileURLToPath(new URL("./client/", import.meta.url));
  const binary = fileURLToPath(new URL("../../.cache/extprocbench", import.meta.url));
  if (!existsSync(binary)) execFileSync("go", ["build", "-o", binary, "."], { cwd: source, stdio: "inherit" });
  return binary;
}
