import { Command } from "commander";
import { version } from "../../version.ts";
import { checkConfigCommand } from "./check-config.ts";
import { explainCommand } from "./explain.ts";
import type { Host } from "./host.ts";
import { replayCommand } from "./replay.ts";
import { serveCommand } from "./serve.ts";
import { simWorkerCommand } from "./sim-worker.ts";
import { topCommand } from "./top.ts";

/** In the order of the help. */
const commands = [serveCommand, checkConfigCommand, explainCommand, replayCommand, topCommand, simWorkerCommand];

/** The whole command line. What runs a command, and what reads its settings, is loaded when it is to run: flags and help need none of it. */
export function program(host: Host): Command {
  const root = new Command("pointsman").description("KV-cache aware endpoint picker for LLM gateways").version(version);
  for (const command of commands) root.addCommand(command(host));
  return root;
}
