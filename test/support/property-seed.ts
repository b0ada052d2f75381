import { configureGlobal } from "fast-check";

/** One seed for each run unless told otherwise, so that a property that fails does so because of the change. */
configureGlobal({ seed: Number(process.env["POINTSMAN_TEST_SEED"] ?? 20_261_129) });
