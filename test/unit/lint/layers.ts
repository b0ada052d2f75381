/** What one folder of `src/` may import: the whole list, checked against every module and every package. */
export interface Layer {
  readonly folder: string;
  /** Modules that may be entered, by their `index.ts` only. */
  readonly modules: readonly string[];
  readonly packages: readonly string[];
  /** A pure folder may not touch files, sockets or processes. */
  readonly isPure: boolean;
}

function pure(folder: string, modules: readonly string[], packages: readonly string[] = []): Layer {
  return { folder, modules, packages, isPure: true };
}

function adapter(folder: string, modules: readonly string[], packages: readonly string[] = []): Layer {
  return { folder, modules, packages, isPure: false };
}

function surface(folder: string, packages: readonly string[] = [], own: readonly string[] = []): Layer {
  const modules = ["api", "dispatch", "errors", "http", "json", "router", "telemetry", ...own];
  return adapter(`surface/${folder}`, modules, packages);
}

/** Imports point one way: surface -> router -> pick -> kv, load, fleet; router -> model -> api, template, tokenizer -> json. */
const layersBelowCommands: readonly Layer[] = [
  pure("errors", []),
  pure("json", ["errors"]),
  pure("api", ["errors", "json"]),
  pure("template", ["errors", "json"], ["@huggingface/jinja"]),
  pure("tokenizer", ["errors", "json"], ["tokenizers"]),
  pure("model", ["api", "errors", "json", "template", "tokenizer"]),
  pure("decisions", ["errors", "json", "template"]),
  pure("kv", ["errors"]),
  pure("load", ["errors"]),
  pure("pick", ["errors", "fleet", "kv", "load"]),
  pure("router", ["api", "errors", "fleet", "json", "kv", "load", "model", "pick"]),
  pure("replay", ["fleet", "kv", "load", "pick", "router"]),
  adapter("fleet", ["errors"], ["@kubernetes/client-node", "undici"]),
  adapter("kv-events", ["errors", "fleet", "json", "kv", "telemetry"], ["msgpackr", "zeromq"]),
  adapter(
    "telemetry",
    ["errors", "json"],
    [
      "@opentelemetry/api",
      "@opentelemetry/core",
      "@opentelemetry/exporter-trace-otlp-http",
      "@opentelemetry/resources",
      "@opentelemetry/sdk-trace",
      "pino",
      "prom-client",
    ],
  ),
  adapter("config", ["errors", "model"], ["yaml", "zod"]),
  adapter("model-hub", [], ["@huggingface/hub"]),
  adapter("prompt-threads", ["errors", "json", "model", "router"]),
  adapter("redis", [], ["ioredis"]),
  adapter("queue", ["redis"], ["ioredis"]),
  adapter("replicas", ["errors", "fleet", "load", "redis", "telemetry"], ["ioredis"]),
  adapter("http", ["errors", "json", "telemetry"], ["fastify", "selfsigned"]),
  adapter("dispatch", ["errors", "http", "json", "telemetry"], ["undici"]),
  adapter("sim-worker", ["api", "errors", "json", "kv", "model", "telemetry"], ["msgpackr", "zeromq"]),
  surface("ext-proc", ["@grpc/grpc-js", "@grpc/proto-loader"]),
  surface("route-api"),
  surface("proxy"),
  // It does not route.
  adapter("surface/queue", ["errors", "http", "json", "queue"]),
  surface("decisions", [], ["decisions"]),
  surface("admin"),
  adapter("top", ["surface/admin"]),
];

/** Every folder of `src`. The commands put all modules together. */
export const layers: readonly Layer[] = [
  ...layersBelowCommands,
  adapter(
    "commands",
    layersBelowCommands.map(({ folder }) => folder),
    ["commander"],
  ),
];
