import fc, { type Arbitrary } from "fast-check";

/** One request as it is written to the socket, in latin1. */
export interface RawRequest {
  readonly line: string;
  readonly lines: readonly string[];
  readonly framing: readonly string[];
  readonly body: string;
}

/** Names by which a client could choose a worker, or act for the gateway: from docs/ext-proc.md and docs/proxy.md. */
const routingNames = [
  "x-gateway-destination-endpoint",
  "x-gateway-destination-endpoint-subset",
  "x-gateway-anything",
  "x-llm-d-inference-objective",
  "x-llm-d-model-name-rewrite",
  "x-worker-instance-id",
  "x-dynamo-worker-instance-id",
  "x-prefill-instance-id",
  "x-dynamo-dp-rank",
  "x-data-parallel-rank",
  "x-smg-target-worker",
  "x-prefiller-host-port",
  "x-slo-ttft-ms",
];

const word = fc.constantFrom("a", "10.0.0.9:8000", "1", "é", "a, b", "", "x".repeat(300), '{"a":1}', "\t a \t");

/** The name in another writing, which servers behind a gateway take for the same. */
const writing: Arbitrary<(name: string) => string> = fc.constantFrom(
  (name: string) => name,
  (name: string) => name.toUpperCase(),
  (name: string) => name.replaceAll("-", "_"),
  (name: string) => name.replace("-", "_"),
  (name: string) => `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`,
);
const routingLine = fc
  .tuple(fc.constantFrom(...routingNames), writing, word)
  .map(([name, written, value]) => `${written(name)}: ${value}`);

const usualLine = fc
  .tuple(
    fc.constantFrom(
      ...["accept", "accept-encoding", "authorization", "cookie", "x-request-id", "user-agent", "x-tenant-id"],
      ...["traceparent", "tracestate", "baggage", "x-anything", "forwarded", "x-forwarded-for", "via"],
      ...["x-session-id", "content-encoding", "expect", "te", "trailer", "upgrade", "proxy-authorization"],
    ),
    fc.oneof(
      word,
      fc.constantFrom(
        ...["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "00-00-00-00", "gzip", "identity", "br"],
        ...["100-continue", "trailers", "websocket", "h2c", "b".repeat(20_000), "c".repeat(70_000)],
      ),
    ),
  )
  .map(([name, value]) => `${name}: ${value}`);

const connectionLine = fc.constantFrom(
  "connection: close",
  "connection: keep-alive",
  "connection: x-hop",
  "connection: keep-alive, x-hop , x-request-id",
  "Connection: upgrade",
  "connection: x-hop\r\nx-hop: 1",
  "X-Hop: 2\r\nConnection: close, X-Hop",
  "x-hop: 1",
);

const brokenLine = fc.constantFrom(
  ...["x : a", "x\t: a", ": a", "x", "x y: a", "x: a\r\n b", "x: a\r\n\tb", "x: a\0b", "x: a\rb", "x: a\nb: c"],
  ...["x: \x01", "é: a", "x:a", "x:", " x: a", "\tx: a", "x: a\x7f", "(x): a", "host: b", "Host : b", "host: "],
);

const lineOf = fc.oneof(
  { weight: 4, arbitrary: usualLine },
  { weight: 4, arbitrary: routingLine },
  { weight: 2, arbitrary: connectionLine },
  { weight: 1, arbitrary: brokenLine },
);

const marker = fc.constantFrom(
  "",
  "GET /v1/models HTTP/1.1\r\nhost: a\r\n\r\n",
  'POST /v1/chat/completions HTTP/1.1\r\nhost: s\r\ncontent-length: 12\r\n\r\n{"model":"m"',
  "0\r\n\r\n",
);
const bodyOf = fc
  .tuple(fc.nat({ max: 9_999 }), marker, fc.constantFrom(0, 0, 0, 200, 20_000))
  .map(([id, smuggled, pad]) => {
    const content = JSON.stringify(`${smuggled}${"p".repeat(pad)}`);
    return `{"model":"m","id":${id},"messages":[{"role":"user","content":${content}}]}`;
  });

type Framing = (body: string) => { readonly lines: readonly string[]; readonly body: string };
const chunk = (text: string, size = text.length.toString(16), end = "\r\n") => `${size}${end}${text}\r\n`;
const halves = (body: string) => [body.slice(0, body.length >> 1), body.slice(body.length >> 1)] as const;
const chunked = (body: string, last = "0\r\n\r\n") =>
  `${halves(body)
    .map((part) => chunk(part))
    .join("")}${last}`;

const usualFramings: readonly Framing[] = [
  (body) => ({ lines: [`content-length: ${body.length}`], body }),
  (body) => ({ lines: ["transfer-encoding: chunked"], body: chunked(body) }),
  (body) => ({ lines: ["Transfer-Encoding: Chunked"], body: chunked(body, "000;x=y\r\n\r\n") }),
  (body) => ({
    lines: ["transfer-encoding: chunked", "trailer: x-gateway-destination-endpoint"],
    body: chunked(body, "0\r\nx-gateway-destination-endpoint: 10.0.0.9:1\r\ncontent-length: 3\r\n\r\n"),
  }),
  (body) => ({ lines: [`Content-Length:${body.length}`], body }),
  (body) => ({ lines: [`content-length: \t${body.length} `], body }),
];

const oddFramings: readonly Framing[] = [
  (body) => ({ lines: [], body }),
  ...["1", "0", "-1", "+5", "5, 5", "0x5", "1e2", "", "5 5", "99999999999999999999", "４"].map(
    (length): Framing =>
      (body) => ({ lines: [`content-length: ${length}`], body }),
  ),
  (body) => ({ lines: [`content-length: ${body.length + 1}`], body }),
  (body) => ({ lines: [`content-length: ${body.length - 1}`], body }),
  (body) => ({ lines: [`content-length: 0${body.length}`], body }),
  (body) => ({ lines: [`content-length: ${body.length}, ${body.length}`], body }),
  (body) => ({ lines: [`content-length: ${body.length}`, `content-length: ${body.length}`], body }),
  (body) => ({ lines: [`content-length: ${body.length}`, "content-length: 2"], body }),
  (body) => ({ lines: [`content-length: ${body.length}`, "Content_Length: 2"], body }),
  (body) => ({ lines: [`content-length : ${body.length}`], body }),
  (body) => ({ lines: [`content-length: ${body.length}`, "transfer-encoding: chunked"], body: chunked(body) }),
  (body) => ({ lines: ["transfer-encoding: chunked", `content-length: ${body.length}`], body }),
  ...[
    ...["chunked, chunked", "gzip, chunked", "chunked, gzip", "identity", "xchunked", "chunked;q=1", ", chunked"],
    ...["\x0bchunked", "chunked\x0b", '"chunked"', "chunked,", "identity, chunked", ""],
  ].map(
    (coding): Framing =>
      (body) => ({ lines: [`transfer-encoding: ${coding}`], body: chunked(body) }),
  ),
  (body) => ({ lines: ["transfer-encoding : chunked"], body: chunked(body) }),
  (body) => ({ lines: ["transfer-encoding: chunked", "transfer-encoding: chunked"], body: chunked(body) }),
  (body) => ({ lines: ["transfer-encoding: chunked", "transfer-encoding: identity"], body: chunked(body) }),
  (body) => ({ lines: ["transfer-encoding:\r\n chunked"], body: chunked(body) }),
  ...[`0x${"5"}`, "-1", "+5", "5 ", " 5", "g", "ffffffffffffffff1", "5\n", "", '5;a="b\r\n"'].map(
    (size): Framing =>
      (body) => ({ lines: ["transfer-encoding: chunked"], body: `${chunk(body, size)}0\r\n\r\n` }),
  ),
  (body) => ({ lines: ["transfer-encoding: chunked"], body: `${chunk(body, undefined, "\n")}0\r\n\r\n` }),
  (body) => ({ lines: ["transfer-encoding: chunked"], body: chunked(body, "0\n\n") }),
  (body) => ({ lines: ["transfer-encoding: chunked"], body: chunked(body, "0\r\n") }),
  (body) => ({ lines: ["transfer-encoding: chunked"], body: chunked(body, "0\r\nx: a\nb: c\r\n\r\n") }),
];

const framingOf = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...usualFramings) },
  { weight: 2, arbitrary: fc.constantFrom(...oddFramings) },
);

/** Whom requests ask for. */
export interface RequestTargets {
  /** Method and target of requests that nothing is wrong with. */
  readonly usual: readonly string[];
  readonly odd: readonly string[];
}

export const proxyTargets: RequestTargets = {
  usual: ["POST /v1/chat/completions"],
  odd: [
    ...["/v1/chat/completions", "/v1/chat/completions", "/v1/chat/completions", "/v1/completions?a=1#b"],
    ...[
      "/v1/models",
      "http://other.host/v1/chat/completions",
      "/v1/../v1/chat/completions",
      "*",
      "//v1/chat/completions",
    ],
    ...[
      "/v1/chat/completions?x=\x80",
      "/v1/chat%2fcompletions",
      "/nothing",
      "/v1/chat/completions HTTP/1.1\r\nhost: x",
    ],
  ],
};

const version = fc.constantFrom(
  "HTTP/1.1",
  "HTTP/1.1",
  "HTTP/1.1",
  "HTTP/1.0",
  "HTTP/1.0",
  "HTTP/1.2",
  "HTTP/2.0",
  "http/1.1",
  "",
);
const method = fc.constantFrom("POST", "POST", "POST", "GET", "OPTIONS", "post", "PUT", "P T", "");

const requestTo = ({ usual: usualLines, odd }: RequestTargets): Arbitrary<RawRequest> =>
  fc
    .record({
      method,
      target: fc.constantFrom(...odd),
      usualLine: fc.constantFrom(...usualLines),
      version,
      host: fc.constantFrom(["host: a"], ["host: a"], ["host: a"], [], ["host: a", "host: b"]),
      lines: fc.array(lineOf, { maxLength: 6 }),
      framing: framingOf,
      body: bodyOf,
      usual: fc.boolean(),
    })
    .map(({ method, target, usualLine, version, host, lines, framing, body, usual }) => {
      const framed = framing(body);
      const line = usual ? `${usualLine} HTTP/1.1` : `${method} ${target} ${version}`;
      const type = "content-type: application/json";
      return {
        line,
        lines: [...(usual ? ["host: a"] : host), type, ...lines],
        framing: framed.lines,
        body: framed.body,
      };
    });

/** What one client writes to its connection, and where it pauses. */
export interface ClientBytes {
  readonly requests: readonly RawRequest[];
  readonly cuts: readonly number[];
}

export function clientBytesTo(targets: RequestTargets): Arbitrary<ClientBytes> {
  return fc.record({
    requests: fc.array(requestTo(targets), { minLength: 1, maxLength: 3 }),
    cuts: fc.array(fc.nat({ max: 2_000 }), { maxLength: 3 }),
  });
}

export function bytesOf({ requests }: ClientBytes): Buffer {
  const text = requests
    .map(({ line, lines, framing, body }) => `${[line, ...lines, ...framing].join("\r\n")}\r\n\r\n${body}`)
    .join("");
  return Buffer.from(text, "latin1");
}

/** Whether a header is one by which a client could choose a worker: by name, in any of its writings. */
export function isRouting(name: string): boolean {
  const dashed = name.toLowerCase().replaceAll("_", "-");
  return routingNames.includes(dashed) || dashed.startsWith("x-gateway-") || dashed.startsWith("x-llm-d-");
}
