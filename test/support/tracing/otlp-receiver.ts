import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { z } from "zod";

const anyValue = z.union([
  z.strictObject({ stringValue: z.string() }),
  z.strictObject({ boolValue: z.boolean() }),
  // 64-bit integers are decimal strings in proto3 JSON; numbers are read as well.
  z.strictObject({ intValue: z.union([z.string().regex(/^-?\d+$/), z.number().int()]) }),
  z.strictObject({ doubleValue: z.number() }),
]);
const attributes = z.array(z.strictObject({ key: z.string().min(1), value: anyValue }));
const hex = (digits: number) => z.string().regex(new RegExp(`^[0-9a-f]{${digits}}$`));
const nanoseconds = z.string().regex(/^\d{19}$/);

const otlpSpan = z.object({
  traceId: hex(32),
  spanId: hex(16),
  parentSpanId: hex(16).optional(),
  traceState: z.string().optional(),
  flags: z.number().int().optional(),
  name: z.string().min(1),
  kind: z.number().int().min(0).max(5),
  startTimeUnixNano: nanoseconds,
  endTimeUnixNano: nanoseconds,
  attributes: attributes.default([]),
  status: z.object({ code: z.number().int().optional(), message: z.string().optional() }).optional(),
});

/** ExportTraceServiceRequest in JSON. Source: opentelemetry-proto collector/trace/v1 and its JSON encoding. */
const exportRequest = z.strictObject({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes }),
      scopeSpans: z.array(z.object({ scope: z.object({ name: z.string() }), spans: z.array(otlpSpan) })),
    }),
  ),
});

/** A span as a collector has it. */
export interface ReceivedSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  /** Name of its parent, where that was received; "" = it has none, or none of ours. */
  readonly parent: string;
  readonly parentSpanId: string | undefined;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  readonly startNs: bigint;
  readonly durationMs: number;
  readonly isError: boolean;
  readonly service: string;
}

type Reply = (response: ServerResponse) => void;

/** A collector that takes traces by OTLP over HTTP, and checks what it is sent. */
export class OtlpReceiver {
  /** The messages, as they came. */
  readonly messages: { readonly headers: IncomingMessage["headers"]; readonly text: string }[] = [];
  /** What is wrong with messages. */
  readonly faults: string[] = [];
  /** How it answers; may be changed at any time. */
  reply: Reply = (response) => response.writeHead(200, { "content-type": "application/json" }).end("{}");
  readonly #server: Server;
  readonly #spans: (z.output<typeof otlpSpan> & { readonly service: string })[] = [];

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<OtlpReceiver> {
    const server = createServer();
    const receiver = new OtlpReceiver(server);
    server.on("request", (request, response) => void receiver.#take(request, response));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return receiver;
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1/traces`;
  }

  get spans(): readonly ReceivedSpan[] {
    return this.#spans.map((span) => {
      const parent = this.#spans.find(
        ({ spanId, traceId }) => spanId === span.parentSpanId && traceId === span.traceId,
      );
      return {
        name: span.name,
        kind: span.kind,
        traceId: span.traceId,
        spanId: span.spanId,
        parent: parent?.name ?? "",
        parentSpanId: span.parentSpanId,
        attributes: plain(span.attributes),
        startNs: BigInt(span.startTimeUnixNano),
        durationMs: Number(BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)) / 1e6,
        isError: span.status?.code === 2,
        service: span.service,
      };
    });
  }

  /** The names of the spans under a span of a name, in the order of their beginnings. */
  under(parent: string): readonly string[] {
    return this.spans
      .filter((span) => span.parent === parent)
      .toSorted((a, b) => Number(a.startNs - b.startNs))
      .map(({ name }) => name);
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close").catch(() => undefined);
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const text = (request.headers["content-encoding"] === "gzip" ? gunzipSync(body) : body).toString();
    this.messages.push({ headers: request.headers, text });
    const read = exportRequest.safeParse(JSON.parse(text));
    if (!read.success) this.faults.push(read.error.message);
    else {
      for (const { resource, scopeSpans } of read.data.resourceSpans) {
        const service = String(plain(resource.attributes)["service.name"]);
        for (const { spans } of scopeSpans) this.#spans.push(...spans.map((span) => ({ ...span, service })));
      }
    }
    this.reply(response);
  }
}

function plain(list: z.output<typeof attributes>): Record<string, string | number | boolean> {
  return Object.fromEntries(
    list.map(({ key, value }) => {
      if ("intValue" in value) return [key, Number(value.intValue)];
      return [key, Object.values(value)[0] as string | number | boolean];
    }),
  );
}
