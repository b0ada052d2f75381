import { isRoutingHeader, routingHeaderNames } from "../../http/index.ts";
import type { HeaderList } from "./header-list.ts";

/** The picked endpoint, for the gateway. Source: endpoint-picker protocol of the Gateway API inference extension. */
export const DESTINATION_HEADER = "x-gateway-destination-endpoint";

const listed: ReadonlySet<string> = new Set(routingHeaderNames);

/** Lists that are kept: one for each set of headers that answers have, and those depend on profiles and roles alone. */
const MAX_KEPT_LISTS = 64;

/** The names of request headers to remove from each answer. */
export class HeaderRemovals {
  /** The fixed list without the names that are set, by those names. The same list each time is encoded once. */
  readonly #fixedBySet = new Map<string, readonly string[]>();

  /**
   * The fixed list, and what else the client sent under a control prefix. A name that is set is left out: setting replaces the
   * client's value.
   * @param headers the request's headers
   * @param setNames the headers that the answer sets, lower-case
   */
  namesFor(headers: Pick<HeaderList, "namesFrom">, setNames: readonly string[]): readonly string[] {
    const fixed = this.#fixed(setNames);
    const extra = headers
      .namesFrom("x")
      .filter((name) => !listed.has(name) && isRoutingHeader(name) && !setNames.includes(name));
    return extra.length === 0 ? fixed : [...fixed, ...new Set(extra)];
  }

  #fixed(setNames: readonly string[]): readonly string[] {
    const key = setNames.join();
    const known = this.#fixedBySet.get(key);
    if (known !== undefined) return known;
    const fixed = routingHeaderNames.filter((name) => !setNames.includes(name));
    if (this.#fixedBySet.size < MAX_KEPT_LISTS) this.#fixedBySet.set(key, fixed);
    return fixed;
  }
}
