// Usage: node_modules/.bin/node scripts/build.ts   Compiles src/ into dist/ and puts the console's page, which needs no build, beside it.
import { execFile } from "node:child_process";
import { cp, mkdir, readdir, readFile, rename, rm, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const projectRoot = fileURLToPath(new URL("../", import.meta.url));
const page = "surface/admin/page";

/**
 * Builds beside `dist/` and puts files there one by one, whole, and only those that changed: what runs from there meanwhile never reads half
 * a file. Rejects, and leaves `dist/` as it was, when the sources do not compile.
 */
export async function build(): Promise<void> {
  const dist = join(projectRoot, "dist");
  const made = join(projectRoot, `.cache/build-${process.pid}`);
  const compiler = join(projectRoot, "node_modules/typescript/bin/tsc");
  try {
    await compile([compiler, "-p", "tsconfig.build.json", "--outDir", made]);
    await cp(join(projectRoot, "src", page), join(made, page), { recursive: true });
    await replace(dist, made);
  } finally {
    await rm(made, { recursive: true, force: true });
  }
  // Its time tells when the build was made.
  const now = new Date();
  await utimes(join(dist, "main.js"), now, now);
}

/** Rejects with what the compiler has to say. */
async function compile(args: readonly string[]): Promise<void> {
  await promisify(execFile)(process.execPath, [...args], { cwd: projectRoot }).catch((error: unknown) => {
    const said = error instanceof Error && "stdout" in error ? String(error.stdout) : "";
    throw new Error(`the sources do not compile\n${said}`, { cause: error });
  });
}

async function replace(dist: string, made: string): Promise<void> {
  const files = await filesIn(made);
  for (const file of files) {
    if (await isSame(join(dist, file), join(made, file))) continue;
    await mkdir(dirname(join(dist, file)), { recursive: true });
    await rename(join(made, file), join(dist, file));
  }
  const wanted = new Set(files);
  for (const file of await filesIn(dist)) if (!wanted.has(file)) await rm(join(dist, file));
}

/** Paths below a folder; none where there is none. */
async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}

async function isSame(one: string, other: string): Promise<boolean> {
  const [bytes, others] = await Promise.all([readFile(one).catch(() => undefined), readFile(other)]);
  return bytes?.equals(others) ?? false;
}

if (import.meta.main) {
  await build().catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  });
}
