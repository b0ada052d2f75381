// Usage: node_modules/.bin/node scripts/image/prune-modules.ts FOLDER   FOLDER has a node_modules of production dependencies, for this machine's platform.
// Leaves out of it what a running picker never reads: native binaries of other platforms, type declarations, source maps, manuals.
import { readdirSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { extname, join, resolve, sep } from "node:path";
import { argv } from "node:process";

/** Packages with native binaries: each ships those of many platforms, and chooses when it is loaded. */
const nativePackages = ["tokenizers", "zeromq", "msgpackr"];
const proseSuffixes = [".map", ".ts", ".mts", ".cts", ".md", ".markdown", ".flow"];
/** C++ sources and what compiles them. */
const buildFolders = [join("zeromq", "src"), join("zeromq", "script"), join("zeromq", "vendor")];

const [folder] = argv.slice(2);
if (folder === undefined) throw new Error("usage: prune-modules.ts FOLDER");
const modules = resolve(folder, "node_modules");
const loaded = loadedBinaries(modules);
let removedBytes = 0;
for (const each of buildFolders) rmSync(join(modules, each), { recursive: true, force: true });
for (const entry of readdirSync(modules, { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name);
  if (!entry.isFile() || !isNeedless(path)) continue;
  removedBytes += statSync(path).size;
  rmSync(path);
}
console.log(`${loaded.length} native binaries are kept, ${Math.round(removedBytes / 1e6)} MB removed`);

function isNeedless(path: string): boolean {
  if (path.endsWith(".node")) return !loaded.includes(path);
  // Licences and notices stay, whatever their suffix.
  const name = path.slice(path.lastIndexOf(sep) + 1);
  return proseSuffixes.includes(extname(name)) && !/^(licen[cs]e|notice|copying)/i.test(name);
}

/** Loads the packages, and asks the process what it then has open. @throws Error when one of them brings nothing */
function loadedBinaries(from: string): readonly string[] {
  const require = createRequire(join(from, "index.js"));
  for (const name of nativePackages) require(name);
  const { sharedObjects } = process.report.getReport() as unknown as { readonly sharedObjects: readonly string[] };
  const binaries = sharedObjects.filter((path) => path.endsWith(".node") && path.startsWith(from));
  if (binaries.length < nativePackages.length) throw new Error(`only ${binaries.join(", ")} were loaded`);
  return binaries;
}
