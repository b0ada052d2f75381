import { describe, expect, it } from "vitest";
import { type ExtProcOptions, resolveExtProcOptions } from "../../../../src/surface/ext-proc/options.ts";

describe("resolveExtProcOptions", () => {
  it("listens on the ports of the endpoint-picker protocol, with TLS", () => {
    expect(resolveExtProcOptions()).toMatchObject({ port: 9002, healthPort: 9003, tls: { kind: "self-signed" } });
  });

  it("answers health where it answers ext_proc, unless told otherwise", () => {
    expect(resolveExtProcOptions({ host: "::1" }).healthHost).toBe("::1");
    expect(resolveExtProcOptions({ host: "::1", healthHost: "::", healthPort: "off" })).toMatchObject({
      healthHost: "::",
      healthPort: "off",
    });
  });

  it.each<[ExtProcOptions, string]>([
    [{ pickDeadlineMs: 0 }, "extProc.pickDeadlineMs must be 1 to 2147483647, got 0"],
    [{ pickDeadlineMs: Number.NaN }, "extProc.pickDeadlineMs must be 1 to 2147483647, got NaN"],
    [{ maxBodyBytes: 0 }, "extProc.maxBodyBytes"],
    [{ maxPicksInFlight: -1 }, "extProc.maxPicksInFlight"],
    [{ bodyDeadlineMs: -1 }, "extProc.bodyDeadlineMs"],
    [{ maxUsageBytes: 0 }, "extProc.maxUsageBytes"],
    [{ maxUnsentBytes: 0 }, "extProc.maxUnsentBytes"],
    [{ port: 65_536 }, "extProc.port must be 0 to 65535, got 65536"],
    [{ healthPort: -1 }, "extProc.healthPort"],
    [{ maxStreamsPerConnection: -1 }, "extProc.maxStreamsPerConnection"],
    [{ retryAfterSeconds: -1 }, "extProc.retryAfterSeconds"],
    [{ drainNoticeMs: -1 }, "extProc.drainNoticeMs"],
    [{ tls: { kind: "files", certFile: "c", keyFile: "k", reloadIntervalMs: -5 } }, "extProc.tls.reloadIntervalMs"],
  ])("refuses %j", (options, message) => {
    expect(() => resolveExtProcOptions(options)).toThrow(message);
  });
});
