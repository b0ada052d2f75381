import { Buffer } from "node:buffer";
import { type ClientHttp2Session, connect } from "node:http2";
import type { ProcessingRequest } from "../../src/surface/ext-proc/processing-messages.ts";
import { EXT_PROC_SERVICE_NAME, loadServiceDefinitions } from "../../src/surface/ext-proc/service-definitions.ts";

const serialize = loadServiceDefinitions().externalProcessor["Process"]?.requestSerialize as (
  message: ProcessingRequest,
) => Buffer;

/** Full duplex both ways: Envoy's numbers. */
const protocol_config = { request_body_mode: 4, response_body_mode: 4 };

/** Asks an ext_proc surface over one HTTP/2 connection as Envoy does: one stream a request, reset once it is placed. */
export class ExtProcClient {
  readonly #session: ClientHttp2Session;

  constructor(address: string) {
    this.#session = connect(`http://${address}`);
  }

  /** Resolves when the pick and the whole body have come back. */
  place(body: string): Promise<void> {
    const headers = [":method POST", ":path /v1/chat/completions", "x-request-id bench"].map((line) => {
      const [key = "", value = ""] = line.split(" ");
      return { key, raw_value: Buffer.from(value) };
    });
    const sent = Buffer.concat([
      framed({ request_headers: { headers: { headers } }, protocol_config }),
      framed({ request_body: { body: Buffer.from(body), end_of_stream: true } }),
    ]);
    return new Promise((resolve, reject) => {
      const stream = this.#session.request({
        ":method": "POST",
        ":path": `/${EXT_PROC_SERVICE_NAME}/Process`,
        "content-type": "application/grpc",
        te: "trailers",
      });
      let received = 0;
      stream.on("data", (chunk: Buffer) => {
        received += chunk.length;
        // The body comes back, with some bytes around each chunk of it.
        if (received < body.length) return;
        stream.close();
        resolve();
      });
      stream.on("error", reject);
      stream.on("end", () => reject(new Error("the stream has ended without a pick")));
      stream.write(sent);
    });
  }

  close(): void {
    this.#session.close();
  }
}

function framed(message: ProcessingRequest): Buffer {
  const bytes = serialize(message);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}
