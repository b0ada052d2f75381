import type { QueuedRequest } from "../envelope.ts";
import { tooManyRequests } from "../result.ts";
import { type Gate, goOn, type Release, refuse, releaseAll, type Verdict } from "./gate.ts";

/** So many at once in this process. */
export function localGate(limit: number): Gate {
  let held = 0;
  return {
    budget: async () => 1,
    async apply(_request, releases) {
      if (held >= limit) return refuse;
      held++;
      releases.push(async () => {
        held--;
      });
      return goOn;
    },
  };
}

/** Waits where `inner` refuses. */
export function waitingGate(inner: Gate): Gate {
  return {
    budget: () => inner.budget(),
    async apply(request, releases) {
      const verdict = await inner.apply(request, releases);
      return verdict.action === "refuse" ? { action: "wait" } : verdict;
    },
  };
}

/** The first of `gates` that does not let a request go on decides; what those before it lent goes back. */
export function allOf(gates: readonly Gate[]): Gate {
  return {
    async budget() {
      return Math.min(1, ...(await Promise.all(gates.map((gate) => gate.budget()))));
    },
    async apply(request, releases) {
      const lent: Release[] = [];
      for (const gate of gates) {
        const verdict = await gate.apply(request, lent);
        if (verdict.action === "continue") continue;
        await releaseAll(lent);
        return verdict;
      }
      releases.push(...lent);
      return goOn;
    },
  };
}

/** While the pool is saturated: what has a reservation waits, what is interactive and over its quota is dropped, the rest goes back. */
export function tierGate(saturation: Gate, tierLabel: string): Gate {
  return {
    budget: () => saturation.budget(),
    async apply(request, releases) {
      const { action } = await saturation.apply(request, releases);
      return action === "refuse" ? saturatedVerdict(request, tierLabel) : goOn;
    },
  };
}

function saturatedVerdict({ classification, internal }: QueuedRequest, tierLabel: string): Verdict {
  if (classification === "reserved") return { action: "wait" };
  const isShed = classification === "overflow" && internal.labels?.[tierLabel] === "interactive";
  return isShed ? { action: "drop", result: tooManyRequests } : refuse;
}
