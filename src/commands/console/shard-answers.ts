import { inTurns, type Turns } from "../../http/index.ts";
import type { ConsoleSource } from "../../surface/admin/index.ts";
import type { Logger } from "../../telemetry/index.ts";
import type { ConsoleQuestion } from "../shards/shard-messages.ts";
import { stateLines } from "./state-lines.ts";

/** The answer about a decision that is not kept. */
export const noPick = "null";

/**
 * What a shard answers to its parent's console: pieces of a state's lines, or of a JSON text. What fails is logged here: the parent
 * only sees that no answer comes.
 */
export async function* shardAnswer(
  source: ConsoleSource,
  question: ConsoleQuestion,
  log: Pick<Logger, "error">,
  turns: Turns,
): AsyncGenerator<string> {
  try {
    yield* answerOf(source, question, turns);
  } catch (error) {
    log.error({ err: error, about: question.about }, "console: a question could not be answered");
    throw error;
  }
}

async function* answerOf(source: ConsoleSource, question: ConsoleQuestion, turns: Turns): AsyncGenerator<string> {
  if (question.about === "state") yield* inTurns(stateLines(await source.state()), turns);
  else if (question.about === "picks") {
    yield JSON.stringify(await source.picks(question.limit, question.requestId));
  } else {
    const parts = await source.explain(question.id, question.shownAs);
    if (parts === undefined) yield noPick;
    else yield* inTurns(parts, turns);
  }
}
