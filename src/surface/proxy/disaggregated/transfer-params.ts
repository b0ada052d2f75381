import { Buffer } from "node:buffer";
import { hostOf, type Pair, type WorkerRank } from "./bootstrap.ts";

type HandoverProtocol = NonNullable<WorkerRank["worker"]["handover"]>["protocol"];

/** `kv_transfer_params` of one request. */
export interface TransferParams {
  /** For the prefill worker, as JSON; undefined = none. */
  readonly prefill: Buffer | undefined;
  /** For the decode worker, given what the prefill worker returned; undefined = none. */
  decode(returned: Buffer | undefined): Buffer | undefined;
}

const defaultMooncakePort = 8_998;
const asReturned = (returned: Buffer | undefined) => returned;

/**
 * The parameters of vLLM's connectors.
 * @param newId a UUID of version 7
 */
export function transferParams(
  protocol: Exclude<HandoverProtocol, "sglang">,
  pair: Pair,
  newId: () => string,
): TransferParams {
  switch (protocol) {
    case "nixl":
      return { prefill: json({ do_remote_decode: true, do_remote_prefill: false }), decode: asReturned };
    case "mooncake":
      return mooncake(pair, `xfer-${newId()}`);
    case "moriio":
      return { prefill: json(moriioPrefill(pair.decode, moriioId(newId()))), decode: asReturned };
    case "moriio-write":
      return moriioWrite(pair, moriioId(newId()));
    case "store":
      return { prefill: undefined, decode: asReturned };
  }
}

/** Both learn the id; the decode worker asks the prefill worker's bootstrap server for the rest. */
function mooncake({ prefill }: Pair, transferId: string): TransferParams {
  const { worker, dpRank } = prefill;
  const { engineId, bootstrapHost, bootstrapPort } = worker.handover ?? {};
  const address = `http://${bootstrapHost ?? hostOf(worker.endpoint)}:${bootstrapPort ?? defaultMooncakePort}`;
  const decode = json({
    do_remote_decode: false,
    do_remote_prefill: true,
    transfer_id: transferId,
    remote_engine_id: worker.dpSize > 1 ? `${engineId}_dp${dpRank}` : engineId,
    remote_bootstrap_addr: address,
  });
  return {
    prefill: json({ do_remote_decode: true, do_remote_prefill: false, transfer_id: transferId }),
    decode: () => decode,
  };
}

function moriioId(id: string): string {
  return `tx-${id.replaceAll("-", "")}`;
}

/** What is remote to the prefill worker is the decode worker. Source: vLLM's proxy for MoRI-IO. */
function moriioPrefill(decode: WorkerRank, transferId: string): object {
  return {
    do_remote_decode: true,
    do_remote_prefill: false,
    remote_engine_id: null,
    remote_block_ids: null,
    transfer_id: transferId,
    ...moriioSizes(decode),
  };
}

/** Each learns where the other is: the decode worker waits until the blocks are written. */
function moriioWrite({ prefill, decode }: Pair, transferId: string): TransferParams {
  const toDecode = json({
    do_remote_decode: false,
    do_remote_prefill: true,
    remote_engine_id: null,
    remote_block_ids: null,
    transfer_id: transferId,
    ...moriioSizes(prefill),
    ...moriioAddress(prefill),
  });
  return {
    prefill: json({ ...moriioPrefill(decode, transferId), ...moriioAddress(decode) }),
    decode: () => toDecode,
  };
}

function moriioSizes({ worker, dpRank }: WorkerRank): object {
  return {
    remote_dp_size: worker.dpSize,
    ...(worker.dpSize > 1 ? { remote_dp_rank: dpRank } : {}),
    ...(worker.handover?.tpSize === undefined ? {} : { remote_tp_size: worker.handover.tpSize }),
  };
}

function moriioAddress({ worker }: WorkerRank): object {
  return {
    remote_host: worker.handover?.bootstrapHost ?? hostOf(worker.endpoint).replace(/^\[|\]$/g, ""),
    remote_handshake_port: worker.handover?.handshakePort,
    remote_notify_port: worker.handover?.notifyPort,
  };
}

function json(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}
