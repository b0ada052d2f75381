import { setTimeout as delay } from "node:timers/promises";
import type { Message, RealFleet } from "../../test/browser/support/real-fleet.ts";
import { prose, seededRandom } from "../../test/support/load/index.ts";

const speakers = 14;
const turns = 7;

/** Keeps a fleet busy with conversations, each about a document of its own, until the signal. */
export async function talk(fleet: RealFleet, signal: AbortSignal): Promise<void> {
  await Promise.all(Array.from({ length: speakers }, (_, i) => speak(fleet, i, signal)));
}

async function speak(fleet: RealFleet, speaker: number, signal: AbortSignal): Promise<void> {
  const random = seededRandom(speaker + 1);
  // Not all begin at once, so that not all are at the same turn.
  await delay(12_000 * random());
  for (let conversation = 0; !signal.aborted; conversation++) {
    const system = `Document ${speaker}.${conversation}\n\n${prose(400 + 700 * random(), random)}`;
    const messages: Message[] = [{ role: "system", content: system }];
    for (let turn = 0; turn < turns && !signal.aborted; turn++) {
      messages.push({ role: "user", content: prose(30 + 60 * random(), random) });
      const id = `talk-${speaker}-${conversation}-${turn}`;
      messages.push({ role: "assistant", content: await fleet.ask(messages, { "x-request-id": id }) });
      await delay(150 + 700 * random());
    }
  }
}
