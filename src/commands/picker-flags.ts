import { join, resolve } from "node:path";
import type { FlagSetting } from "../config/index.ts";

/** A flag of llm-d's endpoint picker, as its charts and manifests pass it, and the settings that it means here. */
export interface PickerFlag {
  /** In commander's form: `--pool-name <name>`. */
  readonly flags: string;
  readonly description: string;
  /** `path` and `text` of each setting. @throws RangeError for a value that is none of the flag's */
  readonly settings: (value: string) => readonly Omit<FlagSetting, "flag">[];
}

/** Source: llm-d-router, command line of `cmd/epp`. A flag that is not here is refused, as any unknown one. */
export const pickerFlags: readonly PickerFlag[] = [
  {
    flags: "--pool-name <name>",
    description: "the setting kubernetes.poolName",
    settings: (text) => [
      { path: "kubernetes.poolName", text },
      { path: "metrics.llmd.pool", text },
    ],
  },
  alias("--pool-namespace <name>", "kubernetes.namespace"),
  alias("--pool-group <group>", "kubernetes.poolGroup"),
  alias("--endpoint-selector <labels>", "kubernetes.endpointSelector"),
  alias("--endpoint-target-ports <ports>", "kubernetes.targetPorts"),
  alias("--kubeconfig <file>", "kubernetes.kubeconfig", (file) => resolve(file)),
  port("--grpc-port <port>", "extProc.listen"),
  port("--grpc-health-port <port>", "health.listen"),
  port("--metrics-port <port>", "metrics.listen"),
  alias("--grpc-max-recv-msg-size <bytes>", "extProc.maxReceiveMessageBytes"),
  alias("--drain-timeout <duration>", "shutdown.drainTimeoutMs", (text) => String(durationMs(text))),
  {
    flags: "--secure-serving [bool]",
    description: "false: the setting extProc.tls.mode off",
    settings: (text) => (isTrue(text) ? [] : [{ path: "extProc.tls.mode", text: "off" }]),
  },
  {
    flags: "--cert-path <folder>",
    description: "the settings extProc.tls of its tls.crt and tls.key",
    settings: (folder) => [
      { path: "extProc.tls.mode", text: "files" },
      { path: "extProc.tls.certFile", text: resolve(join(folder, "tls.crt")) },
      { path: "extProc.tls.keyFile", text: resolve(join(folder, "tls.key")) },
    ],
  },
  {
    flags: "-v, --v <number>",
    description: "how much is logged: from 4 on the setting log.level debug",
    settings: (text) => [{ path: "log.level", text: verbosity(text) >= 4 ? "debug" : "info" }],
  },
  {
    flags: "--metrics-endpoint-auth [bool]",
    description: "false, which it is in any case",
    settings: (text) => {
      if (isTrue(text)) throw new RangeError("expected false: who may read metrics is for the network to say");
      return [];
    },
  },
  {
    flags: "--tracing [bool]",
    description: "false; where traces go is the setting tracing.endpoint",
    settings: (text) => {
      if (isTrue(text)) throw new RangeError("expected false: the setting tracing.endpoint says where traces go");
      return [];
    },
  },
  {
    flags: "--zap-encoder <name>",
    description: "json, which logs are in any case",
    settings: (text) => {
      if (text !== "json") throw new RangeError("expected json: there are no other logs");
      return [];
    },
  },
];

function alias(flags: string, path: string, read: (text: string) => string = (text) => text): PickerFlag {
  return { flags, description: `the setting ${path}`, settings: (text) => [{ path, text: read(text) }] };
}

function port(flags: string, path: string): PickerFlag {
  const description = `the setting ${path}, on all addresses`;
  return {
    flags,
    description,
    settings: (text) => {
      if (!/^\d{1,5}$/.test(text)) throw new RangeError("expected a port");
      return [{ path, text: `0.0.0.0:${text}` }];
    },
  };
}

function isTrue(text: string): boolean {
  if (/^(1|t|true)$/i.test(text)) return true;
  if (/^(0|f|false)$/i.test(text)) return false;
  throw new RangeError("expected true or false");
}

function verbosity(text: string): number {
  // `-v=4` arrives here with its sign.
  const [, digits] = /^=?(\d{1,3})$/.exec(text) ?? [];
  if (digits === undefined) throw new RangeError("expected a whole number");
  return Number(digits);
}

const unitsMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

/** Milliseconds of a Go duration such as `1m30s`, rounded up. Source: Go, time.ParseDuration. */
function durationMs(text: string): number {
  if (text === "0") return 0;
  const part = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)/gy;
  let total = 0;
  let end = 0;
  for (let match = part.exec(text); match !== null; match = part.exec(text)) {
    total += Number(match[1]) * (unitsMs[match[2] ?? ""] ?? 0);
    end = part.lastIndex;
  }
  if (end === 0 || end < text.length) throw new RangeError("expected a duration such as 30s or 1m30s");
  return Math.ceil(total);
}
