import { afterEach, describe, expect, it } from "vitest";
import { ConsoleClient } from "../../../src/top/index.ts";
import { StandInConsole } from "../../support/top/stand-in-console.ts";

const running: StandInConsole[] = [];
afterEach(async () => {
  for (const console of running.splice(0)) await console.stop();
});

async function started(): Promise<StandInConsole> {
  const console = await new StandInConsole().start();
  running.push(console);
  return console;
}

function clientOf(url: string): ConsoleClient {
  return new ConsoleClient({ url: new URL(url), token: undefined, timeoutMs: 5_000, tokenHint: "" });
}

describe("a console that gives no answer", () => {
  it("may not have been asked for, unless it answered before", async () => {
    const console = await started();
    const [knowing, other] = [clientOf(console.url), clientOf(console.url)];
    await knowing.state();
    await console.stop();
    await expect(other.state()).rejects.toThrow(/^connection refused: is it running with `--console`\?$/);
    await expect(knowing.state()).rejects.toThrow(/^connection refused$/);
  });

  it("may speak no TLS", async () => {
    const { url } = await started();
    await expect(clientOf(url.replace("http:", "https:")).state()).rejects.toThrow(/^it speaks no TLS: /);
  });
});
