import { type UntilOptions, until } from "../../e2e/support/until.ts";

/**
 * What `faultsOf` found last when the time was over; empty as soon as it finds nothing. That it could not look at all is a fault, too: nothing was seen
 * to be right.
 */
export async function lastingFaults(
  faultsOf: () => Promise<readonly string[]>,
  options: UntilOptions,
): Promise<readonly string[]> {
  let found: readonly string[] | undefined;
  const look = async () => {
    found = await faultsOf();
    return found.length === 0;
  };
  try {
    await until(look, options);
    return [];
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return found ?? [`${error.message}: ${error.cause}`];
  }
}
