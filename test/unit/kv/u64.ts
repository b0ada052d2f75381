/** Two u32 a value, low first, from decimal or bigint u64. */
export function words(values: readonly (string | bigint)[]): Uint32Array {
  return Uint32Array.from(
    values.flatMap((value) => {
      const u64 = BigInt.asUintN(64, BigInt(value));
      return [Number(u64 & 0xffffffffn), Number(u64 >> 32n)];
    }),
  );
}

/** Decimal u64 of each pair of words. */
export function decimals(pairs: Uint32Array): string[] {
  const out: string[] = [];
  for (let i = 0; i + 1 < pairs.length; i += 2) out.push(decimal({ low: pairs[i] ?? 0, high: pairs[i + 1] ?? 0 }));
  return out;
}

/** Decimal u64 of one value. */
export function decimal(value: { readonly low: number; readonly high: number }): string {
  return ((BigInt(value.high) << 32n) | BigInt(value.low)).toString();
}
