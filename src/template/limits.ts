/** How much one render may do. A render that goes beyond is reported as unknown, and never hangs or fills the memory. */
export interface Limits {
  /** Steps of some 20 ns, see {@link spend}: about one for an item or a character that is looked at. Default 30 000 000, at most about a second. */
  readonly maxWork?: number;
  /** Longest text or list that one operation makes, and longest prompt, in UTF-16 units or items. Default 32 Mi. */
  readonly maxLength?: number;
}

export function resolveLimits(limits: Limits = {}): Required<Limits> {
  const { maxWork = 30_000_000, maxLength = 2 ** 25 } = limits;
  return { maxWork, maxLength };
}
