import type { KnipConfig } from "knip";

const config: KnipConfig = {
  entry: [
    "src/main.ts",
    "scripts/*.ts",
    "scripts/demo/main.ts",
    "scripts/testing/{run,closing-line}.ts",
    "bench/*.ts",
    "bench/{ext-proc,kv}/*.ts",
    "test/parity/run.ts",
  ],
  project: ["{src,test,bench,scripts}/**/*.ts"],
  // A module's index names the types of what it exports, whether or not a caller spells them out.
  exclude: ["types"],
  // A mirror of a module's exports is what an index is: used in the module itself counts as used.
  ignoreExportsUsedInFile: true,
  ignoreDependencies: [
    // The pinned runtime: node_modules/.bin/node, used by every script and no import.
    "node",
    // Pinned below vitest, which takes any version of it.
    "vite",
  ],
  ignoreBinaries: ["make"],
};

export default config;
