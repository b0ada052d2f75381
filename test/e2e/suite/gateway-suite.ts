import { describe } from "vitest";
import { type EnvoyKind, kindName } from "../support/envoy-config.ts";
import {
  asManagedGateway,
  withGracefulClose,
  withoutRetries,
  withPlaintextPicker,
  withSubsetHeader,
  withTrailers,
} from "../support/envoy-patches.ts";
import type { EnvoyLauncher } from "../support/running-envoy.ts";
import { testsOfAborts } from "./aborts.ts";
import { testsOfAnswers } from "./answers.ts";
import { testsOfBodies, testsOfTrailers } from "./bodies.ts";
import { testsOfConformance, testsOfNoConformance } from "./conformance.ts";
import { describeOn } from "./describe-on.ts";
import { testsOfErrors } from "./errors.ts";
import { testsOfFailover, testsOfUnreachable } from "./failover.ts";
import { testsOfHeaders } from "./headers.ts";
import { testsOfIpv6 } from "./ipv6.ts";
import { testsOfLimits } from "./limits.ts";
import { testsOfLoad } from "./load.ts";
import { testsOfPickerLoss } from "./picker-loss.ts";
import { testsOfPlacement } from "./placement.ts";
import { rewriteSettings, testsOfRewrites } from "./rewrites.ts";
import { testsOfSubsets } from "./subsets.ts";
import { testsOfWorkerFaults } from "./worker-faults.ts";

/** Everything that must hold for one of our Envoy files, on Envoys that `launcher` starts. */
export function describeGateway(kind: EnvoyKind, launcher: EnvoyLauncher): void {
  describe(`${kindName(kind)} (${launcher.name})`, () => {
    const own = { kind, launcher };
    describeOn(
      "as shipped",
      { ...own, patches: [withSubsetHeader], picker: rewriteSettings, workerOptions: { recordedBodyBytes: 4_194_304 } },
      (gateway) => {
        testsOfAnswers(gateway);
        testsOfPlacement(gateway);
        testsOfBodies(gateway, kind);
        testsOfRewrites(gateway);
        testsOfErrors(gateway);
        testsOfHeaders(gateway);
        testsOfNoConformance(gateway);
        testsOfSubsets(gateway);
        testsOfAborts(gateway);
        testsOfWorkerFaults(gateway);
        testsOfLoad(gateway, 5_000);
      },
    );
    // Plain text to the picker, so that both are run.
    const plaintext = {
      patches: [asManagedGateway, withPlaintextPicker],
      picker: { extProc: { tls: { mode: "off" }, conformanceHeaders: true } },
    };
    describeOn("as a managed gateway", { ...own, ...plaintext }, (gateway) => {
      testsOfHeaders(gateway);
      testsOfConformance(gateway, kind);
      testsOfAborts(gateway);
      testsOfLoad(gateway, 5_000);
    });
    describeOn("with graceful close", { ...own, patches: [withGracefulClose] }, (gateway) => {
      testsOfAborts(gateway);
      testsOfLoad(gateway, 2_000);
    });
    const trailers = kind.bodies === "full-duplex" ? [withTrailers, withoutRetries] : [withTrailers];
    describeOn("with trailers", { ...own, workers: 1, patches: trailers }, (gateway) => testsOfTrailers(gateway, kind));
    testsOfLimits(own);
    testsOfFailover(own);
    testsOfUnreachable(own);
    testsOfPickerLoss(own);
    testsOfIpv6(own);
  });
}
