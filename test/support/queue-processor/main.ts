/** Runs a processor in a process of its own: `main.ts <options as JSON>`. SIGTERM drains it. */
import type { ProcessorOptions } from "./options.ts";
import { QueueProcessor } from "./processor.ts";

const processor = new QueueProcessor(JSON.parse(process.argv[2] ?? "") as ProcessorOptions);
process.once("SIGTERM", () => void processor.drain().then(() => process.exit(0)));
process.stdout.write("ready\n");
