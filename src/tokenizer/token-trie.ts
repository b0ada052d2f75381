import { sharedInt32, sharedUint16 } from "./shared-arrays.ts";

/** Fixed strings as a tree in flat arrays, one element a node; node 0 is none. */
export interface TokenTrie {
  /** The node of each first unit. */
  readonly roots: Int32Array;
  readonly units: Uint16Array;
  /** The first of the nodes that come next in a string. */
  readonly children: Int32Array;
  /** The next of the nodes that stand in for one another. */
  readonly siblings: Int32Array;
  /** Id of the string that ends at the node, -1 for none. */
  readonly ids: Int32Array;
  /** The unit that every string begins with, -1 when there are several. */
  readonly onlyFirst: number;
}

/** @param tokens distinct and not empty, with their ids; undefined when there are none */
export function buildTokenTrie(tokens: readonly (readonly [string, number])[]): TokenTrie | undefined {
  if (tokens.length === 0) return undefined;
  const nodeCount = tokens.reduce((sum, [token]) => sum + token.length, 1);
  const trie = {
    roots: sharedInt32(0x1_0000),
    units: sharedUint16(nodeCount),
    children: sharedInt32(nodeCount),
    siblings: sharedInt32(nodeCount),
    ids: sharedInt32(nodeCount).fill(-1),
    onlyFirst: onlyFirstUnit(tokens),
  };
  let used = 1;
  for (const [token, id] of tokens) {
    let parent = 0;
    for (let index = 0; index < token.length; index++) {
      const unit = token.charCodeAt(index);
      let node = parent === 0 ? (trie.roots[unit] as number) : childOf(trie, parent, unit);
      if (node === 0) {
        node = used++;
        trie.units[node] = unit;
        if (parent === 0) {
          trie.roots[unit] = node;
        } else {
          trie.siblings[node] = trie.children[parent] as number;
          trie.children[parent] = node;
        }
      }
      parent = node;
    }
    trie.ids[parent] = id;
  }
  return trie;
}

/** The node after `node` for the next unit of a string, or 0. */
export function childOf(trie: TokenTrie, node: number, unit: number): number {
  let child = trie.children[node] as number;
  while (child !== 0 && trie.units[child] !== unit) child = trie.siblings[child] as number;
  return child;
}

function onlyFirstUnit(tokens: readonly (readonly [string, number])[]): number {
  const first = tokens[0]?.[0].charCodeAt(0) ?? -1;
  return tokens.every(([token]) => token.charCodeAt(0) === first) ? first : -1;
}
