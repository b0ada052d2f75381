import { inTurns } from "../../http/index.ts";
import { type ConsoleSource, pickParts, stateParts } from "../../surface/admin/index.ts";
import type { Logger } from "../../telemetry/index.ts";
import type { ConsoleQuestion } from "../shards/shard-messages.ts";

/**
 * What a shard answers to its parent's console: pieces of a JSON text, `null` for what is not there. What fails is logged here: the parent
 * only sees that no answer comes.
 */
export async function* shardAnswer(
  source: ConsoleSource,
  question: ConsoleQuestion,
  log: Pick<Logger, "error">,
): AsyncGenerator<string> {
  try {
    yield* answerOf(source, question);
  } catch (error) {
    log.error({ err: error, about: question.about }, "console: a question could not be answered");
    throw error;
  }
}

async function* answerOf(source: ConsoleSource, question: ConsoleQuestion): AsyncGenerator<string> {
  if (question.about === "state") yield* inTurns(stateParts(await source.state()));
  else if (question.about === "picks") {
    yield JSON.stringify(await source.picks(question.limit, question.requestId));
  } else {
    const pick = await source.explain(question.id);
    if (pick === undefined) yield "null";
    else yield* inTurns(pickParts(pick));
  }
}
