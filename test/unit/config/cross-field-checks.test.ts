import { describe, expect, it } from "vitest";
import { messageOf } from "./fixtures.ts";

const w = (name: string, host: string, rest = ""): string => `{name: ${name}, endpoint: '${host}:8000'${rest}}`;

describe("checks across settings", () => {
  it.each([
    {
      name: "TLS by files without the files",
      text: "extProc: {tls: {mode: files, keyFile: k}}",
      message: "extProc.tls.certFile: needed with extProc.tls.mode files",
    },
    {
      name: "client certificates without TLS",
      text: "extProc: {tls: {mode: off, clientCaFile: ca.crt}}",
      message:
        'extProc.tls.clientCaFile: not with extProc.tls.mode off, where nobody is asked for a certificate; got "ca.crt"',
    },
    {
      name: "less room for all bodies than for one",
      text: "extProc: {maxInFlightBodyBytes: 10, maxBodyBytes: 11}",
      message: "extProc.maxInFlightBodyBytes: expected at least extProc.maxBodyBytes (11); got 10",
    },
    {
      name: "a body that no buffered message can hold",
      text: "extProc: {maxReceiveMessageBytes: 70000, maxBodyBytes: 70000}",
      message: "extProc.maxReceiveMessageBytes: expected more than extProc.maxBodyBytes (70000); got 70000",
    },
    {
      name: "the same in full-duplex mode, where bodies come in pieces",
      text: "extProc: {maxReceiveMessageBytes: 70000, maxBodyBytes: 70000, bodyMode: full-duplex}",
      message: "accepted",
    },
    {
      name: "replicas that are silent before the next heartbeat",
      text: "replicas: {redis: {heartbeatMs: 1000, timeoutMs: 2500}}",
      message: "replicas.redis.silentAfterMs: expected at least twice replicas.redis.heartbeatMs (1000); got 1500",
    },
    {
      name: "a Redis connection that is given up before the next heartbeat",
      text: "replicas: {redis: {heartbeatMs: 600}}",
      message: "replicas.redis.timeoutMs: expected at least twice replicas.redis.heartbeatMs (600); got 1000",
    },
    {
      name: "pauses between connections that end before they begin",
      text: "replicas: {redis: {reconnectMinMs: 501}}",
      message: "replicas.redis.reconnectMaxMs: expected at least replicas.redis.reconnectMinMs (501); got 500",
    },
    {
      name: "a certificate without its key, to Redis",
      text: "replicas: {redis: {url: 'rediss://redis:6379', tls: {certFile: c}}}",
      message: "replicas.redis.tls.keyFile: certFile and keyFile are needed together",
    },
    {
      name: "a password in the address of Redis",
      text: "replicas: {redis: {url: 'redis://:secret@redis:6379'}}",
      message:
        'replicas.redis.url: expected no user or password: they go to username and passwordFile; got "redis://...@redis:6379"',
    },
    {
      name: "a database of Redis, which channels do not have",
      text: "replicas: {redis: {url: 'redis://redis:6379/3'}}",
      message: 'replicas.redis.url: expected nothing after host and port; got "redis://redis:6379/3"',
    },
    {
      name: "an address of Redis with nothing but host and port",
      text: "replicas: {redis: {url: 'rediss://redis.example'}}",
      message: "accepted",
    },
    {
      name: "a proxy whose bodies cannot be held",
      text: "mode: proxy\nproxy: {maxBodyBytes: 2000, maxHeldBodyBytes: 1999}",
      message: "proxy.maxHeldBodyBytes: expected at least proxy.maxBodyBytes (2000); got 1999",
    },
    {
      name: "requests that wait longer than the proxy does",
      text: "mode: proxy\nadmission: {maxRequests: 1}\nproxy: {pickDeadlineMs: 2000}",
      message: "admission.maxWaitMs: expected less than proxy.pickDeadlineMs (2000); got 2000",
    },
    {
      name: "a proxy that is not told how its workers share requests",
      text: "mode: proxy\nmodels: [{name: m, loadOnly: true, profile: vllm}]\nworkers: [{name: p, endpoint: '127.0.0.1:1', role: prefill}]",
      message: "workers[0].handover: needed for the role prefill: how the proxy splits requests",
    },
    {
      name: "a proxy that is told so",
      text: "mode: proxy\nmodels: [{name: m, loadOnly: true, profile: vllm}]\nworkers: [{name: p, endpoint: '127.0.0.1:1', role: prefill, handover: {protocol: sglang, bootstrapPort: 8998}}]",
      message: "accepted",
    },
    {
      name: "workers of different protocols that may be a pair",
      text: "models: [{name: m, loadOnly: true, profile: vllm}]\nworkers: [{name: p, endpoint: '127.0.0.1:1', role: prefill, handover: {protocol: sglang}}, {name: d, endpoint: '127.0.0.1:2', role: decode, handover: {protocol: nixl}}]",
      message: 'workers[1].handover.protocol: expected sglang, as of p: they may be a pair; got "nixl"',
    },
    {
      name: "workers of different protocols that share no model",
      text: "models: [{name: m, loadOnly: true, profile: vllm}, {name: n, loadOnly: true, profile: vllm}]\nworkers: [{name: p, endpoint: '127.0.0.1:1', role: prefill, models: [m], handover: {protocol: sglang}}, {name: d, endpoint: '127.0.0.1:2', role: decode, models: [n], handover: {protocol: nixl}}]",
      message: "accepted",
    },
    {
      name: "a Mooncake prefill worker without its engine's id",
      text: "models: [{name: m, loadOnly: true, profile: vllm}]\nworkers: [{name: p, endpoint: '127.0.0.1:1', role: prefill, handover: {protocol: mooncake}}]",
      message: "workers[0].handover.engineId: needed with the protocol mooncake",
    },
    {
      name: "an encode worker with a handover",
      text: "models: [{name: m, loadOnly: true, profile: vllm}]\nworkers: [{name: e, endpoint: '127.0.0.1:1', role: encode, handover: {protocol: nixl}}]",
      message: 'workers[0].handover: has no meaning for the role encode; got "nixl"',
    },
    {
      name: "a worker that speaks gRPC",
      text: "workers: [{name: g, endpoint: 'grpc://127.0.0.1:1'}]",
      message:
        'workers[0].endpoint: workers that speak gRPC are not supported: expected ip:port of the worker\'s HTTP server; got "grpc://127.0.0.1:1"',
    },
    {
      name: "a mode beside itself",
      text: "mode: query\nmixedModes: [ext-proc, query]",
      message: 'mixedModes[1]: this mode is there already; got "query"',
    },
    {
      name: "Envoy's mode with the route API for looking",
      text: "mixedModes: [query]",
      message: "accepted",
    },
    {
      name: "a route API that listens nowhere",
      text: "mode: reserve\nrouteApi: {listen: 'off'}",
      message: "routeApi.socket: needed with routeApi.listen off",
    },
    {
      name: "the same where the route API is not served, or has a socket",
      text: "mode: reserve\nrouteApi: {listen: 'off', socket: /run/route.sock}",
      message: "accepted",
    },
    {
      name: "less room for all bodies of the route API than for one",
      text: "routeApi: {maxHeldBodyBytes: 2000, maxBodyBytes: 2001}",
      message: "routeApi.maxHeldBodyBytes: expected at least routeApi.maxBodyBytes (2001); got 2000",
    },
    {
      name: "a wait for a worker that outlasts the pick's deadline",
      text: "admission: {maxRequests: 8, maxWaitMs: 5000}",
      message: "admission.maxWaitMs: expected less than extProc.pickDeadlineMs (5000); got 5000",
    },
    {
      name: "more who wait than may be in flight",
      text: "admission: {maxRequests: 8, maxQueued: 1024}",
      message: "admission.maxQueued: expected less than extProc.maxInFlightRequests (1024); got 1024",
    },
    {
      name: "both of them while admission is off",
      text: "extProc: {pickDeadlineMs: 3, maxInFlightRequests: 2}",
      message: "accepted",
    },
    {
      name: "a limit of blocks where no worker's are counted",
      text: `workers: [${w("w", "10.0.0.1")}]\nadmission: {maxKvUsage: 0.9}`,
      message: "admission.maxKvUsage: has no meaning without workers[].totalKvBlocks or fleet.engineMetrics; got 0.9",
    },
    {
      name: "the same where the engines tell their number",
      text: `workers: [${w("w", "10.0.0.1")}]\nadmission: {maxKvUsage: 0.9}\nfleet: {engineMetrics: {enabled: true}}`,
      message: "accepted",
    },
    {
      name: "two objectives of one name",
      text: "admission: {objectives: [{name: a, priority: 1}, {name: a}]}",
      message: 'admission.objectives[1].name: another objective has this name; got "a"',
    },
    {
      name: "two listeners on one address",
      text: "metrics: {listen: '0.0.0.0:9002'}",
      message: 'metrics.listen: another listener has this address; got "0.0.0.0:9002"',
    },
    {
      name: "listeners that are off or on a port of the system's choice",
      text: "health: {listen: 'off'}\nmetrics: {listen: 'off'}\nextProc: {listen: '127.0.0.1:0'}",
      message: "accepted",
    },
    {
      name: "an alias that is another model's name",
      text: "models: [{name: a, folder: /a}, {name: b, folder: /b, aliases: [c, a]}]",
      message: 'models[1].aliases[1]: another model has this name; got "a"',
    },
    {
      name: "a model without a folder",
      text: "models: [{name: a}, {name: b, loadOnly: true}]",
      message: "models[0].folder: this or hubId is needed unless loadOnly is true",
    },
    {
      name: "workers for a route API that knows no model",
      text: `mode: reserve\nworkers: [${w("w", "10.0.0.1")}]`,
      message: "models: needed with workers in the modes query and reserve: what they serve is named there; got []",
    },
    {
      name: "two workers with one name",
      text: `workers: [${w("w", "10.0.0.1")}, ${w("w", "10.0.0.2")}]`,
      message: 'workers[1].name: another worker has this name; got "w"',
    },
    {
      name: "two workers at one endpoint",
      text: `workers: [${w("a", "[2001:DB8::1]")}, ${w("b", "[2001:db8::1]")}]`,
      message: 'workers[1].endpoint: another worker has this endpoint; got "[2001:db8::1]:8000"',
    },
    {
      name: "two workers with one id",
      text: `workers: [${w("a", "10.0.0.1", ", id: '7'")}, ${w("b", "10.0.0.2", ", id: '7'")}]`,
      message: 'workers[1].id: another worker has this id; got "7"',
    },
    {
      name: "a worker for a model that is not configured",
      text: `models: [{name: m, folder: /m}]\nworkers: [${w("a", "10.0.0.1", ", models: [n]")}]`,
      message: 'workers[0].models[0]: expected one of m; got "n"',
    },
    {
      name: "ranks whose event ports meet another worker's",
      text: `workers: [${w("a", "10.0.0.1", ", dpSize: 4, kvEvents: 'tcp://h:5557'")}, ${w("b", "10.0.0.2", ", kvEvents: 'tcp://h:5560'")}]`,
      message: 'workers[1].kvEvents: another rank or worker has this address; got "tcp://h:5560"',
    },
    {
      name: "ranks whose event ports pass the last one",
      text: `workers: [${w("a", "10.0.0.1", ", dpSize: 4, kvEvents: 'tcp://h:65534'")}]`,
      message: 'workers[0].kvEvents: the last rank\'s port would pass 65535; got "tcp://h:65534"',
    },
    {
      name: "more ranks than can be, before they are counted out",
      text: `workers: [${w("a", "10.0.0.1", ", dpSize: 100000000, kvEvents: 'tcp://h:1'")}]`,
      message: expect.stringMatching(/^workers\[0\]\.dpSize: .*4096/),
    },
    {
      name: "more batches than a socket can count",
      text: "kvEvents: {maxPendingBatches: 3000000000}",
      message: expect.stringMatching(/^kvEvents\.maxPendingBatches: .*1000000/),
    },
    {
      name: "a replay socket without events",
      text: `workers: [${w("a", "10.0.0.1", ", kvReplay: 'tcp://h:5600'")}]`,
      message: 'workers[0].kvReplay: has no meaning without kvEvents; got "tcp://h:5600"',
    },
    {
      name: "a peer twice",
      text: "replicas: {peers: {urls: ['http://a:8092', 'http://A:8092/']}}",
      message: 'replicas.peers.urls[1]: another peer has this address; got "http://a:8092/"',
    },
    {
      name: "certificates for peers that are not checked",
      text: "replicas: {peers: {caFile: ca.pem, verifyTls: false}}",
      message: 'replicas.peers.caFile: has no meaning with verifyTls false; got "ca.pem"',
    },
    {
      name: "a peer with a password in its address",
      text: "replicas: {peers: {urls: ['http://u:p@a:8092']}}",
      message: 'replicas.peers.urls[0]: expected no user in it: set replicas.peers.tokenFile; got "http://...@a:8092"',
    },
    {
      name: "a longest pause below the first",
      text: "kvEvents: {reconnectMinMs: 10, reconnectMaxMs: 9}",
      message: "kvEvents.reconnectMaxMs: expected at least kvEvents.reconnectMinMs (10); got 9",
    },
  ])("$name", ({ text, message }) => {
    expect(messageOf(text)).toEqual(message);
  });
});
