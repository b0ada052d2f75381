import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const projectRoot = fileURLToPath(new URL("../../../", import.meta.url));

/** One finding of the linter in a planted file. */
export interface Finding {
  /** Path below the planted root. */
  readonly path: string;
  /** 1-based. */
  readonly line: number;
  /** For example `style/noRestrictedImports`. */
  readonly rule: string;
}

interface Diagnostic {
  readonly category: string;
  readonly location: { readonly path: string; readonly start?: { readonly line: number } };
}

/** Runs the project's own linter settings over `files` (path to source) in a folder of their own. */
export async function lintPlanted(files: ReadonlyMap<string, string>): Promise<readonly Finding[]> {
  const root = await mkdtemp(join(tmpdir(), "pointsman-lint-"));
  try {
    await writeSettings(root);
    for (const [path, source] of files) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), source);
    }
    return toFindings(await runBiome(root));
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

async function writeSettings(root: string): Promise<void> {
  const settings: unknown = JSON.parse(await readFile(join(projectRoot, "biome.json"), "utf8"));
  // The planted folder is no git work tree; everything else is the project's, byte for byte.
  await writeFile(join(root, "biome.json"), JSON.stringify({ ...(settings as object), vcs: { enabled: false } }));
  await cp(join(projectRoot, "package.json"), join(root, "package.json"));
}

function runBiome(root: string): Promise<string> {
  const binary = join(projectRoot, "node_modules/@biomejs/biome/bin/biome");
  const args = [binary, "lint", "--reporter=json", "--max-diagnostics=none", "."];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { cwd: root, maxBuffer: 1 << 28 }, (error, stdout, stderr) => {
      // Exit code 1 is what breaches give; without a report the linter itself failed.
      if (stdout === "") reject(new Error(`biome printed no report: ${stderr}`, { cause: error }));
      else resolve(stdout);
    });
  });
}

function toFindings(report: string): readonly Finding[] {
  const { diagnostics } = JSON.parse(report) as { readonly diagnostics: readonly Diagnostic[] };
  return diagnostics.map(({ category, location }) => ({
    path: location.path,
    line: location.start?.line ?? 0,
    rule: category.replace(/^lint\//, ""),
  }));
}
