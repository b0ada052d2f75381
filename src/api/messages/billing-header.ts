/** How the line starts. */
export const BILLING_HEADER = "x-anthropic-billing-header:";

/**
 * The system prompt without the line that Claude Code puts first, which differs with each session (dynamo-llm@1.6.1
 * http/service/anthropic.rs strip_billing_preamble). A header that no other line follows stays, as in the frontend.
 */
export function withoutBillingHeader(system: string): string {
  const start = system.search(/\P{White_Space}/u);
  if (start === -1 || !system.startsWith(BILLING_HEADER, start)) return system;
  const end = system.indexOf("\n", start);
  return end === -1 ? system : system.slice(end + 1);
}
