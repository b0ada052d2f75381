import { randomUUID } from "node:crypto";
import { parseJson } from "../../json/index.ts";
import type { GenerationApi } from "../generation-request.ts";
import { MeetingPoint } from "./meeting-point.ts";
import { isForRemoteDecode, remoteBlocks } from "./nixl-fields.ts";
import type { PairRole } from "./pair-role.ts";
import { type BootstrapPlace, bootstrapPlaces, rootOf } from "./sglang-fields.ts";

/** One request of a worker of a pair. */
export interface PairTurn {
  /** Whether only the prompt is of interest: one token is made. */
  readonly isPrefill: boolean;
  /** Members of a JSON answer beside the API's own. */
  readonly extra: object;
  /** The prompt's blocks are there. */
  prefilled(): void;
  /** It failed. After `prefilled` that does nothing. */
  failed(): void;
}

const ignore = () => undefined;
const wholeTurn: PairTurn = { isPrefill: false, extra: {}, prefilled: ignore, failed: ignore };

/** The other worker of the pair failed; the message may be seen by clients. */
export class PairError extends Error {
  override readonly name = "PairError";
}

/** A worker's part in split requests, as strict about their fields as the real engines. */
export class Pairing {
  readonly meeting = new MeetingPoint();
  readonly #role: PairRole;
  readonly #ignoredOn: readonly string[];
  readonly #address: () => { readonly host: string; readonly port: number };

  /**
   * @param ignoredOn APIs on which the fields are dropped
   * @param address where others find this worker
   */
  constructor(
    role: PairRole,
    ignoredOn: readonly string[],
    address: () => { readonly host: string; readonly port: number },
  ) {
    this.#role = role;
    this.#ignoredOn = ignoredOn;
    this.#address = address;
  }

  /**
   * Waits until the request can go on. Rejects with TypeError for fields that are not right, with PairError when the other worker fails, with the
   * signal's reason on abort.
   */
  async begin(api: GenerationApi, body: Buffer, signal: AbortSignal): Promise<PairTurn> {
    if (this.#role === "none") return wholeTurn;
    const root = rootOf(parseJson(body));
    const isIgnored = this.#ignoredOn.includes(api);
    if (this.#role === "nixl-prefill" && !isIgnored && isForRemoteDecode(root, api)) return this.#keepBlocks();
    if (this.#role === "nixl-decode" && !isIgnored) {
      const blocks = remoteBlocks(root);
      if (blocks !== undefined) await fetchFrom(blocks, `blocks/${encodeURIComponent(blocks.requestId)}`, signal);
    }
    if (!this.#role.startsWith("sglang")) return wholeTurn;
    if (isIgnored) throw new TypeError("Disaggregated request received without bootstrap room id");
    const places = bootstrapPlaces(root, api);
    if (this.#role === "sglang-prefill") return await this.#openRooms(places, signal);
    await Promise.all(places.map((place) => fetchFrom(place, `rooms/${place.room}`, signal)));
    return wholeTurn;
  }

  /** Answers another worker. Rejects when it cannot have what it wants. @param path below `/sim/pair/` */
  async answer(path: string, signal: AbortSignal): Promise<void> {
    const [kind, id = ""] = path.split("/", 2);
    if (kind === "rooms") return await this.meeting.join(id, signal);
    if (kind === "blocks" && this.meeting.takeBlocks(decodeURIComponent(id))) return;
    throw new PairError("there is nothing of this id");
  }

  #keepBlocks(): PairTurn {
    const requestId = `cmpl-${randomUUID()}`;
    const { host, port } = this.#address();
    const params = {
      do_remote_prefill: true,
      do_remote_decode: false,
      remote_block_ids: [1, 2, 3],
      remote_engine_id: `${host}:${port}`,
      remote_request_id: requestId,
      remote_host: host,
      remote_port: port,
      tp_size: 1,
    };
    const prefilled = () => this.meeting.keepBlocks(requestId);
    return { isPrefill: true, extra: { kv_transfer_params: params }, prefilled, failed: ignore };
  }

  async #openRooms(places: readonly BootstrapPlace[], signal: AbortSignal): Promise<PairTurn> {
    const close = (isGood: boolean) => {
      for (const { room } of places) this.meeting.close(room, isGood);
    };
    try {
      await Promise.all(places.map(({ room }) => this.meeting.open(room, signal)));
    } catch (error) {
      close(false);
      throw signal.aborted ? error : new PairError("the decode worker did not come", { cause: error });
    }
    return { isPrefill: true, extra: {}, prefilled: () => close(true), failed: () => close(false) };
  }
}

async function fetchFrom(
  { host, port }: { readonly host: string; readonly port: number | undefined },
  path: string,
  signal: AbortSignal,
): Promise<void> {
  let status: number;
  try {
    const answer = await fetch(`http://${host}:${port ?? 8_998}/sim/pair/${path}`, { method: "POST", signal });
    await answer.arrayBuffer();
    status = answer.status;
  } catch (cause) {
    signal.throwIfAborted();
    throw new PairError("the prefill worker cannot be reached", { cause });
  }
  if (status !== 200) throw new PairError("the prefill worker has no blocks for this request");
}
