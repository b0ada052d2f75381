/** Waits until `holds` does. Throws after two seconds. */
export async function until(holds: () => boolean): Promise<void> {
  const endMs = performance.now() + 2_000;
  while (!holds()) {
    if (performance.now() > endMs) throw new Error(`never came true: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
