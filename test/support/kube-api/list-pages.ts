import type { KubeObject } from "./kube-object.ts";
import { type RequestTarget, versionOf } from "./request-target.ts";
import { apiVersionOf } from "./resource-kinds.ts";
import { badRequest, expired, tooLarge } from "./statuses.ts";
import type { VersionedStore } from "./versioned-store.ts";

/** What is left of a list whose first pages were given out: it shows the state of its first page. */
interface OpenList {
  readonly version: number;
  readonly rest: readonly KubeObject[];
}

const maxOpenLists = 100;

/** Answers lists, whole or in pages. */
export class ListPages {
  readonly #store: VersionedStore;
  readonly #open = new Map<string, OpenList>();
  #tokens = 0;

  constructor(store: VersionedStore) {
    this.#store = store;
  }

  /** The `...List` object. @throws StatusError */
  answer(target: RequestTarget): object {
    const { kind, query } = target;
    const { version, rest } = this.#openList(target);
    const limit = Number(query.get("limit") ?? 0);
    const items = limit > 0 ? rest.slice(0, limit) : rest;
    const left = rest.slice(items.length);
    const metadata = {
      resourceVersion: `${version}`,
      ...(left.length === 0 ? {} : { continue: this.#keep({ version, rest: left }), remainingItemCount: left.length }),
    };
    return { kind: `${kind.kind}List`, apiVersion: apiVersionOf(kind), metadata, items };
  }

  #openList({ kind, selects, query }: RequestTarget): OpenList {
    const token = query.get("continue") ?? "";
    if (token !== "") {
      const open = this.#open.get(token);
      if (open === undefined) throw badRequest("continue key is not valid");
      if (open.version < this.#store.oldest) throw expired(open.version, this.#store.oldest);
      return open;
    }
    const { version } = this.#store;
    const wanted = versionOf(query) ?? 0;
    if (wanted > version) throw tooLarge(wanted, version);
    return { version, rest: this.#store.list(kind).filter(selects) };
  }

  #keep(list: OpenList): string {
    const token = Buffer.from(`list-${++this.#tokens}`).toString("base64url");
    this.#open.set(token, list);
    const [first] = this.#open.keys();
    if (this.#open.size > maxOpenLists && first !== undefined) this.#open.delete(first);
    return token;
  }
}
