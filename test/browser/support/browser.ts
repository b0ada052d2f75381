import { type Browser, chromium } from "playwright-core";
import { chromiumPath } from "./chromium-path.ts";

/**
 * Starts a headless Chromium.
 * @throws Error that says how to get one, where there is none: a suite that cannot run has failed
 */
export async function startBrowser(): Promise<Browser> {
  return await chromium.launch({
    executablePath: chromiumPath(),
    // As root, as in containers, Chromium has no sandbox. Times and numbers are as on one machine everywhere.
    args: ["--no-sandbox", "--force-color-profile=srgb", "--font-render-hinting=none"],
    env: { ...process.env, TZ: "UTC", LANG: "C.UTF-8" },
  });
}
