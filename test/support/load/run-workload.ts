import type { LoadClient, LoadOutcome } from "./load-client.ts";
import { type PastTurn, pathByApi, type TurnStyle, turnBody } from "./turn-request.ts";
import type { Conversation } from "./workload.ts";

/** How a workload is sent. */
export interface RunOptions extends TurnStyle {
  /** Conversations under way at the same time; each sends its turns one after another. */
  readonly concurrency: number;
  /** True sends the tenant's name as `x-tenant-id`, which also makes it the cache namespace. Default false. */
  readonly tenantHeader?: boolean;
  /** Called with each result when it is there. */
  readonly onResult?: (result: TurnResult) => void;
}

/** What came of one turn. */
export interface TurnResult extends LoadOutcome {
  readonly conversation: number;
  readonly tenant: string;
  /** From 0. */
  readonly turn: number;
}

/** Sends every turn of every conversation; the results are in the order in which they came. */
export async function runWorkload(
  conversations: readonly Conversation[],
  client: LoadClient,
  options: RunOptions,
  signal?: AbortSignal,
): Promise<readonly TurnResult[]> {
  const results: TurnResult[] = [];
  const queue = conversations.values();
  const runner = async () => {
    for (const conversation of queue) {
      for await (const result of converse(conversation, client, options, signal)) {
        results.push(result);
        options.onResult?.(result);
      }
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, runner));
  return results;
}

async function* converse(
  conversation: Conversation,
  client: LoadClient,
  options: RunOptions,
  signal: AbortSignal | undefined,
): AsyncGenerator<TurnResult> {
  const past: PastTurn[] = [];
  const headers: Record<string, string> = options.tenantHeader === true ? { "x-tenant-id": conversation.tenant } : {};
  for (const [turn, question] of conversation.questions.entries()) {
    const body = turnBody(options, conversation.system, past, question);
    const outcome = await client.send({ path: pathByApi[options.api], body, headers }, signal);
    past.push({ question, answer: outcome.answer?.text ?? "" });
    yield { ...outcome, conversation: conversation.id, tenant: conversation.tenant, turn };
  }
}
