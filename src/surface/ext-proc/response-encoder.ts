import type { Buffer } from "node:buffer";
import type { BufferPool } from "../../http/index.ts";
import type {
  BodyMutation,
  CommonResponse,
  HeaderMutation,
  HeaderValueOption,
  ImmediateResponse,
  ProcessingResponse,
  Struct,
  StructValue,
} from "./processing-messages.ts";
import { ProtobufWriter } from "./protobuf-writer.ts";

/**
 * Writes answers as gRPC frames, by hand instead of protobufjs: a pick with its body is copied once, into one reused buffer, where
 * protobufjs and grpc-js copy every part three times into buffers of their own (bench/ext-proc).
 * Source: proto/envoy/service/ext_proc/v3/external_processor.proto.
 */
export class ResponseEncoder {
  readonly #writer = new ProtobufWriter();
  readonly #pool: BufferPool;
  /** Lists of names as they were written, by the list itself: most picks remove the same ones. */
  readonly #removals = new WeakMap<readonly string[], Buffer>();

  /** @param pool where the buffers come from; whoever sends them gives them back */
  constructor(pool: BufferPool) {
    this.#pool = pool;
  }

  /** The frames of `messages`, in order, at the start of a buffer of the pool. */
  encode(messages: readonly ProcessingResponse[]): { readonly frames: Buffer; readonly bytes: number } {
    const writer = this.#writer;
    for (let index = messages.length - 1; index >= 0; index--) {
      const mark = writer.length;
      this.#response(messages[index] as ProcessingResponse);
      this.#frameHead(writer.length - mark);
    }
    const bytes = writer.length;
    const frames = this.#pool.take(bytes);
    writer.take(frames);
    return { frames, bytes };
  }

  /** gRPC's head of a message: not compressed, and the length in 32 bits, high byte first. */
  #frameHead(bytes: number): void {
    const writer = this.#writer;
    writer.byte(bytes & 0xff);
    writer.byte((bytes >>> 8) & 0xff);
    writer.byte((bytes >>> 16) & 0xff);
    writer.byte(bytes >>> 24);
    writer.byte(0);
  }

  #response(message: ProcessingResponse): void {
    const writer = this.#writer;
    if (message.dynamic_metadata !== undefined) this.#struct(8, message.dynamic_metadata);
    if (message.request_headers !== undefined) this.#answer(1, message.request_headers.response);
    else if (message.response_headers !== undefined) this.#answer(2, message.response_headers.response);
    else if (message.request_body !== undefined) this.#answer(3, message.request_body.response);
    else if (message.response_body !== undefined) this.#answer(4, message.response_body.response);
    else if (message.request_trailers !== undefined) writer.delimit(5, writer.length);
    else if (message.response_trailers !== undefined) writer.delimit(6, writer.length);
    else if (message.immediate_response !== undefined) this.#immediate(message.immediate_response);
  }

  #answer(field: number, response: CommonResponse | undefined): void {
    const writer = this.#writer;
    const mark = writer.length;
    if (response !== undefined) this.#common(response);
    writer.delimit(field, mark);
  }

  #common(response: CommonResponse): void {
    const writer = this.#writer;
    const mark = writer.length;
    if (response.clear_route_cache === true) writer.numberField(5, 1);
    if (response.body_mutation !== undefined) this.#bodyMutation(response.body_mutation);
    if (response.header_mutation !== undefined) this.#headerMutation(2, response.header_mutation);
    writer.delimit(1, mark);
  }

  #bodyMutation(mutation: BodyMutation): void {
    const writer = this.#writer;
    const mark = writer.length;
    if ("body" in mutation) {
      this.#parts(mutation.body);
      writer.delimit(1, mark);
    } else {
      if (mutation.streamed_response.end_of_stream) writer.numberField(2, 1);
      this.#streamedParts(mutation.streamed_response.body);
      writer.delimit(3, mark);
    }
    writer.delimit(3, mark);
  }

  #streamedParts(body: Buffer | readonly Buffer[]): void {
    const mark = this.#writer.length;
    this.#parts(body);
    if (this.#writer.length > mark) this.#writer.delimit(1, mark);
  }

  #parts(body: Buffer | readonly Buffer[]): void {
    if (!Array.isArray(body)) {
      this.#writer.bytes(body as Buffer);
      return;
    }
    for (let index = body.length - 1; index >= 0; index--) this.#writer.bytes(body[index] as Buffer);
  }

  #headerMutation(field: number, mutation: HeaderMutation): void {
    const writer = this.#writer;
    const mark = writer.length;
    if (mutation.remove_headers !== undefined) this.#removal(mutation.remove_headers);
    const set = mutation.set_headers ?? [];
    for (let index = set.length - 1; index >= 0; index--) this.#setHeader(set[index] as HeaderValueOption);
    writer.delimit(field, mark);
  }

  #removal(names: readonly string[]): void {
    this.#writer.bytes(this.#removals.get(names) ?? this.#encodedRemoval(names));
  }

  #encodedRemoval(names: readonly string[]): Buffer {
    const writer = new ProtobufWriter();
    for (const name of names.toReversed()) writer.textField(2, name);
    const bytes = writer.takeCopy();
    this.#removals.set(names, bytes);
    return bytes;
  }

  #setHeader({ header, append_action }: HeaderValueOption): void {
    const writer = this.#writer;
    const mark = writer.length;
    writer.numberField(3, append_action);
    const headerMark = writer.length;
    writer.bytesField(3, header.raw_value);
    writer.textField(1, header.key);
    writer.delimit(1, headerMark);
    writer.delimit(1, mark);
  }

  #immediate(response: ImmediateResponse): void {
    const writer = this.#writer;
    const mark = writer.length;
    writer.textField(5, response.details);
    writer.bytesField(3, response.body);
    this.#headerMutation(2, response.headers);
    const statusMark = writer.length;
    writer.numberField(1, response.status.code);
    writer.delimit(1, statusMark);
    writer.delimit(7, mark);
  }

  #struct(field: number, struct: Struct): void {
    const writer = this.#writer;
    const mark = writer.length;
    for (const [key, value] of Object.entries(struct.fields ?? {}).toReversed()) {
      const entryMark = writer.length;
      this.#structValue(value);
      writer.textField(1, key);
      writer.delimit(1, entryMark);
    }
    writer.delimit(field, mark);
  }

  /** The kinds of values that answers use. */
  #structValue(value: StructValue): void {
    const mark = this.#writer.length;
    if (value.stringValue !== undefined) this.#writer.textField(3, value.stringValue);
    else if (value.structValue !== undefined) this.#struct(5, value.structValue);
    this.#writer.delimit(2, mark);
  }
}
