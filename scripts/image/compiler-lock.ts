// Usage: node_modules/.bin/node scripts/image/compiler-lock.ts FOLDER   Writes a package.json and a package-lock.json for the compiler alone into FOLDER, as our
// own lock pins it: an image needs none of the other development dependencies, which are over a gigabyte.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { argv } from "node:process";

const [folder] = argv.slice(2);
if (folder === undefined) throw new Error("usage: compiler-lock.ts FOLDER");
const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as {
  readonly packages: Readonly<Record<string, { readonly version: string }>>;
};
const compiler = packages["node_modules/typescript"];
if (compiler === undefined) throw new Error("package-lock.json has no typescript");
const pinned = Object.entries(packages).filter(([path]) => /^node_modules\/(typescript|@typescript\/.*)$/.test(path));
const project = { name: "compiler", version: "0.0.0", dependencies: { typescript: compiler.version } };
const entries = pinned.map(([path, { ...entry }]) => [path, { ...entry, dev: undefined }]);
mkdirSync(folder, { recursive: true });
writeFileSync(join(folder, "package.json"), JSON.stringify(project));
writeFileSync(
  join(folder, "package-lock.json"),
  JSON.stringify({ ...project, lockfileVersion: 3, packages: { "": project, ...Object.fromEntries(entries) } }),
);
