// Usage: make demo. Starts a real Envoy, the picker and four simulated workers, sends requests by the OpenAI SDK for all
// three APIs and prints where each went and why. Ends with 0 when all were answered and later turns hit caches.
import { envoyBinary } from "../../test/e2e/support/envoy-binary.ts";
import { Gateway } from "../../test/e2e/support/gateway.ts";
import { eventsFollowed } from "../../test/e2e/support/picker-metrics.ts";
import { injectedModel } from "../../test/e2e/support/picker-settings.ts";
import { demoConversations } from "./conversations.ts";
import { type Exchange, SdkClient } from "./openai-client.ts";
import { type DemoRow, summary, table } from "./report.ts";

const startedAt = performance.now();
// Slower than tests have them, so that workers are busy for a moment and load has a say.
const workerOptions = { ttftBaseMs: 20, prefillTimePerTokenUs: 100, interTokenMs: 5 };
const kind = { bodies: "full-duplex", hosts: "override-host" } as const;

console.log("Starting Envoy 1.40, the picker and four simulated workers ...");
const gateway = await Gateway.start({ kind, launcher: envoyBinary, workers: 4, workerOptions });
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void gateway.stop().finally(() => process.exit(1)));
}
try {
  console.log(`Envoy listens on ${gateway.url}; model ${injectedModel} with its real tokenizer and chat template.\n`);
  const rows = await converse(gateway);
  const { text, faults } = summary(rows);
  console.log(
    `${table(rows)}\n\nTokens and blocks of 16 tokens. Cost in blocks, the lowest is picked: eight for each block still to prefill, one for each that decoding holds\n(routing.prefillLoadScale). The first turns of all conversations came at once, so that most found others waiting.\n${text}`,
  );
  for (const fault of faults) console.log(`FAILED: ${fault}`);
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  await gateway.stop();
}
console.log(`Done in ${((performance.now() - startedAt) / 1000).toFixed(1)} s.`);

/** First turns all at once, so that load spreads them; later turns one by one, as people ask. Rejects when one fails. */
async function converse(gateway: Gateway): Promise<DemoRow[]> {
  const client = new SdkClient(gateway.url, injectedModel);
  const talks = demoConversations().map((conversation) => ({ conversation, past: [] as Exchange[] }));
  const next = async ({ conversation, past }: (typeof talks)[number]): Promise<DemoRow> => {
    const question = conversation.questions[past.length] ?? "";
    const answer = await client.ask(conversation, past, question);
    past.push({ question, answer: answer.text });
    return { conversation, turn: past.length, answer, pick: await gateway.picker.pickOf(answer.requestId) };
  };
  const rows = await Promise.all(talks.map(next));
  for (const talk of [...talks, ...talks]) {
    // While its client thinks, the picker hears what the workers have cached.
    await eventsFollowed(gateway);
    rows.push(await next(talk));
  }
  return rows;
}
