import { describe, expect, it } from "vitest";
import type { ExplainedPick } from "../../src/surface/admin/index.ts";
import { consoleUnderTest } from "./support/console-under-test.ts";
import { examplePick } from "./support/example.ts";

const under = consoleUnderTest();

type Phase = ExplainedPick["explanation"]["answering"];

/** The example with another explanation of who answers. */
function answeredBy(change: (phase: Phase) => Phase, more: Partial<ExplainedPick["explanation"]> = {}): void {
  const pick = examplePick();
  const explanation = { ...pick.explanation, ...more, answering: change(pick.explanation.answering) };
  under.server.picks.set("911", { ...pick, explanation });
}

async function sentences(): Promise<string[]> {
  const { page } = await under.open({ path: "#picks/911" });
  await page.getByRole("heading", { name: /^Why gpu-0/ }).waitFor();
  return await page.locator("#explanation .sentences li").allTextContents();
}

describe("why this worker", () => {
  it("shows every candidate with its overlap, load and cost terms, the picked one first and marked", async () => {
    const { page, faults } = await under.open();
    await page.getByRole("button", { name: "00:53:20" }).first().click();
    const sheet = page.getByRole("dialog", { name: "Why gpu-0 rank 0?" });
    await sheet.waitFor();
    expect(await sheet.locator("thead th").allTextContents()).toEqual([
      "Worker",
      "Overlap, blocks",
      "Load",
      "To prefill",
      "Cache credit",
      "Decode",
      "Cost, blocks",
    ]);
    const rows = await sheet
      .locator("tbody tr")
      .evaluateAll((all) =>
        all.map((row) => [...row.querySelectorAll("td")].map((cell) => cell.innerText.replaceAll(/\s+/g, " ").trim())),
      );
    expect(rows).toEqual([
      [
        "gpu-0 rank 0 Picked 10.0.0.10:8000",
        "80 of 88",
        "8 requests (3 of other replicas, 1 unbooked)",
        "108.8",
        "−80",
        "789",
        "817.8",
      ],
      ["gpu-0 rank 1 10.0.0.10:8000", "0 of 88", "7 requests (2 of other replicas)", "88.8", "0", "801", "889.8"],
      ["gpu-1 10.0.0.11:8000", "12 of 88", "8 requests (4 of other replicas)", "220", "−12", "1,003", "1,211"],
      ["gpu-2 10.0.0.12:8000", "0 of 88", "0 requests", "–", "–", "–", "Its health check fails."],
      [
        "gpu-3 10.0.0.13:8000",
        "40 of 88",
        "1 request",
        "–",
        "–",
        "–",
        "It is draining: it finishes what it has and gets nothing new.",
      ],
    ]);
    expect(await sheet.locator("tr.chosen").count()).toBe(1);
    expect(await sheet.locator(".formula").textContent()).toBe(
      "Cost = max(0, to prefill − cache credit) + decode, in blocks. The lowest is picked.",
    );
    expect(faults).toEqual([]);
  });

  it("says it in sentences: cost, session, overlap, and who could not be picked", async () => {
    expect(await sentences()).toEqual([
      "gpu-0 rank 0 costs 817.8 blocks, 72 less than the next, gpu-0 rank 1.",
      "Affinity: it stayed on the worker that served its session's last request.",
      "It holds 80 of the prompt's 88 blocks (91 %), all on the device; nobody eligible holds more.",
      "Could not be picked: 1 unhealthy and 1 draining.",
    ]);
  });

  it("tells of a tie and how it was broken", async () => {
    answeredBy((phase) => ({ ...phase, tied: 3 }));
    expect(await sentences()).toContain(
      "3 workers cost the same: the one with the fewest requests was taken, and any among equals.",
    );
  });

  it("tells overlap by tier", async () => {
    answeredBy((phase) => ({
      ...phase,
      candidates: phase.candidates.map((candidate, i) =>
        i === 0 ? { ...candidate, overlapBlocks: { device: 40, host: 20, disk: 5, sharedCache: 0 } } : candidate,
      ),
    }));
    const { page } = await under.open({ path: "#picks/911" });
    await page
      .getByText("65 of the prompt's 88 blocks (74 %): 40 on the device, 20 in host memory and 5 on disk")
      .waitFor();
    const row = page.locator("#explanation tr.chosen");
    expect(await row.locator("td").nth(1).innerText()).toBe("40 + 20 host + 5 disk of 88");
    expect(await row.locator("td").nth(1).locator(".part.host").count()).toBe(1);
  });

  it("tells that a dearer one was kept for its session", async () => {
    answeredBy((phase) => ({ ...phase, chosen: 1 }));
    const told = (await sentences()).join(" ");
    expect(told).toContain(
      "gpu-0 rank 1 costs 889.8 blocks; gpu-0 rank 0 costs 72 less, but the session or the pair outweighs that.",
    );
    expect(told).toContain("It holds none of the prompt's blocks; another holds 80.");
  });

  it("tells that who holds more is dearer only of one that is", async () => {
    answeredBy((phase) => ({
      ...phase,
      candidates: phase.candidates.map((candidate, i) =>
        i === 2 ? { ...candidate, overlapBlocks: { ...candidate.overlapBlocks, device: 88 } } : candidate,
      ),
    }));
    expect((await sentences()).join(" ")).toContain("; another holds 88, and is dearer by its load.");
  });

  it("shows both halves of a pair, and what a pair adds", async () => {
    const pick = examplePick();
    const { answering } = pick.explanation;
    const withPairs = {
      ...answering,
      candidates: answering.candidates.map((c) => (c.terms ? { ...c, pairBlocks: 7 } : c)),
    };
    under.server.picks.set("911", {
      ...pick,
      prefill: { workerId: "8671438890602160", workerName: "gpu-1", dpRank: 0, endpoint: "10.0.0.11:8000" },
      explanation: { ...pick.explanation, aggregatedReason: undefined, prefill: withPairs },
    });
    const { page } = await under.open({ path: "#picks/911" });
    await page.getByRole("heading", { name: "Why gpu-1 and gpu-0 rank 0?" }).waitFor();
    expect(await page.locator("#explanation h3").allTextContents()).toEqual([
      "The worker that prefills",
      "The worker that answers",
    ]);
    expect(await page.locator("#explanation .phase").first().locator("thead th").allTextContents()).toContain("Pair");
    expect(await page.locator("#explanation .formula").first().textContent()).toContain("+ pair");
  });

  it("tells why nobody was picked", async () => {
    const pick = examplePick();
    const { answering } = pick.explanation;
    const candidates = answering.candidates.map((candidate) => ({
      ...candidate,
      exclusion: "overloaded" as const,
      terms: undefined,
    }));
    under.server.picks.set("912", {
      ...pick,
      id: "912",
      outcome: "saturated",
      picked: undefined,
      explanation: {
        ...pick.explanation,
        session: undefined,
        answering: { ...answering, candidates, chosen: undefined, tied: 0 },
      },
    });
    const { page } = await under.open({ path: "#picks/912" });
    await page.getByRole("heading", { name: "Pick 912: refused" }).waitFor();
    expect(await page.locator("#explanation .sentences li").allTextContents()).toEqual([
      "All workers were too busy, and it could not wait.",
      "Could not be picked: 5 overloaded.",
    ]);
    expect(await page.getByText("It is over a limit of the admission settings.").count()).toBe(5);
  });

  it("tells why the tokens took no part", async () => {
    answeredBy((phase) => ({ ...phase, promptTokens: 0 }), { loadOnlyReason: "the request has an image" });
    expect(await sentences()).toContain("Placed by load alone: the request has an image.");
  });

  it("tells of a pick that is no longer kept", async () => {
    const { page } = await under.open({ path: "#picks/17" });
    await page.getByText(/^It is no longer kept: only the latest decisions are/).waitFor();
  });

  it("tells of a number that no pick has had", async () => {
    const { page } = await under.open({ path: "#picks/99999" });
    await page.getByText("There is none of this number.").waitFor();
  });

  it("goes over a hundred candidates in pages, with a filter", async () => {
    answeredBy((phase) => ({
      ...phase,
      candidates: Array.from({ length: 400 }, (_, i) => {
        const [first] = phase.candidates;
        if (first === undefined) throw new Error("the example has no candidate");
        return { ...first, workerId: String(i), workerName: `gpu-${i}` };
      }),
    }));
    const { page } = await under.open({ path: "#picks/911" });
    const sheet = page.locator("#explanation");
    await sheet.getByText("1–25 of 400 candidates").waitFor();
    await sheet.getByPlaceholder("Filter candidates").fill("gpu-39");
    await sheet.getByText("11 of 400 candidates").waitFor();
  });
});
