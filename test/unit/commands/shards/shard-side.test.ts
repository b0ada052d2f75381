import { expect, it } from "vitest";
import type { FromShard, ToShard } from "../../../../src/commands/shards/shard-messages.ts";
import { ShardSide } from "../../../../src/commands/shards/shard-side.ts";

/** The parent, as the test plays it. */
function parent() {
  const sent: FromShard[] = [];
  let receive: (message: ToShard) => void = () => undefined;
  let gone: () => void = () => undefined;
  const side = new ShardSide({
    send: async (message) => void sent.push(message),
    onMessage: (listener) => {
      receive = listener;
    },
    onGone: (listener) => {
      gone = listener;
    },
  });
  return { side, sent, tell: (message: ToShard) => receive(message), leave: () => gone() };
}

it("a shard ends when it is told to, and when its parent is gone", () => {
  const told = parent();
  told.tell({ kind: "stop" });
  expect(told.side.stop.aborted).toBe(true);
  const left = parent();
  expect(left.side.stop.aborted).toBe(false);
  left.leave();
  expect(left.side.stop.aborted).toBe(true);
});

it("its channels begin later, never at once, carry texts both ways, and are over with it", async () => {
  const { side, sent, tell } = parent();
  const heard: string[] = [];
  const link = side.link({
    connected: () => heard.push("connected"),
    lost: () => undefined,
    message: (text, channel) => {
      heard.push(`${channel}: ${text}`);
      return false;
    },
  });
  expect(heard).toEqual([]);
  await Promise.resolve();
  await link.publish("load", "mine");
  tell({ kind: "message", channel: "load", text: "mine" });
  tell({ kind: "message", channel: "sessions", text: "theirs" });
  expect(heard).toEqual(["connected", "load: mine", "sessions: theirs"]);
  expect(sent).toEqual([{ kind: "message", channel: "load", text: "mine" }]);
  expect(link.isOpen()).toBe(true);
  await link.close();
  tell({ kind: "message", channel: "load", text: "late" });
  expect(heard).toHaveLength(3);
  side.end();
  expect(link.isOpen()).toBe(false);
});

it("its metrics are given by the number that asks, and not where they cannot be made", async () => {
  const { side, sent, tell } = parent();
  tell({ kind: "metrics", id: 1 });
  let isBroken = false;
  side.serveMetrics(async () => {
    if (isBroken) throw new Error("no metrics");
    return "x 1\n";
  });
  tell({ kind: "metrics", id: 2 });
  await expect.poll(() => sent).toEqual([{ kind: "metrics", id: 2, text: "x 1\n" }]);
  isBroken = true;
  tell({ kind: "metrics", id: 3 });
  side.setReady(true);
  await expect.poll(() => sent.at(-1)).toEqual({ kind: "ready", isReady: true });
  expect(sent).toHaveLength(2);
});

it("its console's answers are given in pieces, and the last one is told", async () => {
  const { side, sent, tell } = parent();
  const question = { about: "pick", id: "7", shownAs: "0-7" } as const;
  tell({ kind: "console", id: 1, question });
  side.serveConsole(async function* (asked) {
    yield JSON.stringify(asked).slice(0, 5);
    yield JSON.stringify(asked).slice(5);
  });
  tell({ kind: "console", id: 2, question });
  await expect.poll(() => sent.at(-1)).toEqual({ kind: "console", id: 2, text: "", isLast: true });
  expect(sent.map((message) => (message.kind === "console" ? message.text : ""))).toEqual([
    '{"abo',
    'ut":"pick","id":"7","shownAs":"0-7"}',
    "",
  ]);
});

it("a state that is asked for again is not told any further to who asked before", async () => {
  const { side, sent, tell } = parent();
  const turns: (() => void)[] = [];
  let made = 0;
  side.serveConsole(async function* () {
    for (let piece = 0; piece < 3; piece++) {
      await new Promise<void>((resolve) => turns.push(resolve));
      made++;
      yield String(piece);
    }
  });
  const state = { about: "state" } as const;
  tell({ kind: "console", id: 1, question: state });
  tell({ kind: "console", id: 2, question: { about: "picks", limit: 1, requestId: undefined } });
  tell({ kind: "console", id: 3, question: state });
  for (let turn = 0; turn < 20; turn++) {
    for (const go of turns.splice(0)) go();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const told = (id: number) => sent.flatMap((each) => (each.kind === "console" && each.id === id ? [each.text] : []));
  expect([told(1), told(2), told(3)]).toEqual([[], ["0", "1", "2", ""], ["0", "1", "2", ""]]);
  expect(made).toBe(7);
});
