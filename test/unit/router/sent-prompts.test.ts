import { expect, it } from "vitest";
import { hashBlocks } from "../../../src/kv/index.ts";
import { noDemands, type Placeable } from "../../../src/router/index.ts";
import { blockSize, fixture } from "./fixture.ts";

const anywhere = { subset: undefined, requestedEndpoints: undefined };
const workers = [
  { name: "p", endpoint: "10.0.0.1:80", id: "1", role: "prefill" as const },
  { name: "d", endpoint: "10.0.0.2:80", id: "2", role: "decode" as const },
];

it("tells of a prompt when it is booked, on both workers of a pair, and of no query", () => {
  const told: string[] = [];
  const hashes = hashBlocks(Uint32Array.from([1, 2, 3, 4, 5, 6, 7, 8]), { blockSize });
  const { router, model } = fixture({
    workers,
    sentPrompts: { onSent: (rank, { name }, sent) => told.push(`${rank.worker.name} ${name} ${sent === hashes}`) },
  });
  const subject: Placeable = {
    api: "completions",
    model,
    promptTokens: 8,
    hashes,
    bodyEdit: undefined,
    loadOnlyReason: undefined,
    demands: noDemands,
  };
  const selection = router.select(subject, anywhere);
  router.targetOf(selection).explain();
  expect(told).toEqual([]);
  router.book(selection);
  expect(told).toEqual(["d m true", "p m true"]);
  router.lease(selection);
  expect(told).toHaveLength(4);
  router.place({ ...subject, hashes: undefined }, anywhere);
  expect(told).toHaveLength(4);
});
