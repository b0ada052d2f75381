import { type ChannelCredentials, Client, type ClientDuplexStream, credentials } from "@grpc/grpc-js";
import type { ProcessingRequest, ProcessingResponse } from "../../../src/surface/ext-proc/processing-messages.ts";
import { loadServiceDefinitions } from "../../../src/surface/ext-proc/service-definitions.ts";

const services = loadServiceDefinitions();
const processMethod = services.externalProcessor["Process"];
const checkMethod = services.health["Check"];
const watchMethod = services.health["Watch"];

/** A gRPC client in a gateway's place. */
export class GrpcGateway {
  readonly client: Client;

  constructor(address: string, channel: ChannelCredentials = credentials.createInsecure()) {
    this.client = new Client(address, channel, {
      "grpc.max_receive_message_length": -1,
      "grpc.max_send_message_length": -1,
      "grpc.use_local_subchannel_pool": 1,
      "grpc.ssl_target_name_override": "localhost",
    });
  }

  open(): GatewayStream {
    if (processMethod === undefined) throw new Error("no Process method");
    const { path, requestSerialize, responseDeserialize } = processMethod;
    const call = this.client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize);
    return new GatewayStream(call as ClientDuplexStream<ProcessingRequest, ProcessingResponse>);
  }

  check(service: string): Promise<number> {
    if (checkMethod === undefined) throw new Error("no Check method");
    const { path, requestSerialize, responseDeserialize } = checkMethod;
    return new Promise((resolve, reject) => {
      this.client.makeUnaryRequest(path, requestSerialize, responseDeserialize, { service }, (error, reply) => {
        if (error === null) resolve((reply as { status: number }).status);
        else reject(error);
      });
    });
  }

  /** Statuses of a service as they come. */
  watch(service: string): { next(): Promise<number>; cancel(): void } {
    if (watchMethod === undefined) throw new Error("no Watch method");
    const { path, requestSerialize, responseDeserialize } = watchMethod;
    const call = this.client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, { service });
    call.on("error", () => undefined);
    const replies = call[Symbol.asyncIterator]();
    return {
      next: async () => ((await replies.next()).value as { status: number }).status,
      cancel: () => call.cancel(),
    };
  }

  close(): void {
    this.client.close();
  }
}

/** One stream from the gateway's side. */
export class GatewayStream {
  readonly call: ClientDuplexStream<ProcessingRequest, ProcessingResponse>;
  readonly answers: ProcessingResponse[] = [];
  /** gRPC status code once the stream has ended. */
  status: number | undefined;
  #waiting: (() => void)[] = [];

  constructor(call: ClientDuplexStream<ProcessingRequest, ProcessingResponse>) {
    this.call = call;
    call.on("data", (answer: ProcessingResponse) => {
      this.answers.push(answer);
      this.#wake();
    });
    call.on("status", ({ code }) => {
      this.status = code;
      this.#wake();
    });
    call.on("error", () => undefined);
  }

  send(...messages: readonly ProcessingRequest[]): void {
    for (const message of messages) this.call.write(message);
  }

  /** Resolves when a number of answers has come, or the stream has ended. */
  async received(count: number): Promise<readonly ProcessingResponse[]> {
    while (this.answers.length < count && this.status === undefined) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    return this.answers;
  }

  /** Ends our side and resolves with the gRPC status. */
  async ended(): Promise<number> {
    this.call.end();
    while (this.status === undefined) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.status;
  }

  #wake(): void {
    for (const resolve of this.#waiting) resolve();
    this.#waiting = [];
  }
}
