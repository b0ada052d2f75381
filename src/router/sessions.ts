import type { Catalogue, WorkerRank } from "../fleet/index.ts";
import type { AffinityOptions, SessionTable, SessionUse } from "../pick/index.ts";
import type { Placeable } from "./placeable.ts";
import type { Selection } from "./selection.ts";

/** Where sessions were served, as the router asks for it. Ranks that are gone are not told. */
export class Sessions {
  readonly #catalogue: Catalogue;
  readonly #table: SessionTable;
  readonly #isOff: boolean;

  constructor(catalogue: Catalogue, table: SessionTable, { mode }: Pick<AffinityOptions, "mode">) {
    this.#catalogue = catalogue;
    this.#table = table;
    this.#isOff = mode === "off";
  }

  /** Where the request's session was served last; undefined = nowhere, or the rank that answered is gone. */
  find(subject: Placeable): { readonly answering: WorkerRank; readonly prefill: WorkerRank | undefined } | undefined {
    if (this.#isOff || subject.session === undefined) return undefined;
    const ranks = this.#table.find(keyOf(subject, subject.session.id));
    if (ranks === undefined || !this.#isPresent(ranks.answering)) return undefined;
    const { answering, prefill } = ranks;
    return { answering, prefill: prefill !== undefined && this.#isPresent(prefill) ? prefill : undefined };
  }

  /** Remembers where a request of a session was booked; undefined = it has no session. */
  use({ subject, answering, prefill }: Selection): SessionUse | undefined {
    const { session } = subject;
    if (this.#isOff || session === undefined) return undefined;
    const ranks = { answering: answering.rank, prefill: prefill?.rank };
    return this.#table.use(keyOf(subject, session.id), ranks, session.isFinal);
  }

  #isPresent(rank: WorkerRank): boolean {
    return this.#catalogue.rankAt(rank.slot) === rank;
  }
}

/** Sessions of two models are two, even where one client names both alike. */
function keyOf({ model }: Placeable, sessionId: string): string {
  return `${model?.name ?? ""}\n${sessionId}`;
}
