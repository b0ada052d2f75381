// Writes the pages of docs/ that are made from the code: docs/configuration.md and docs/metrics.md.
import { writeFile } from "node:fs/promises";
import { renderReference } from "../src/config/index.ts";
import { renderMetricsPage } from "../src/telemetry/index.ts";

const docs = new URL("../docs/", import.meta.url);
await writeFile(new URL("configuration.md", docs), renderReference());
await writeFile(new URL("metrics.md", docs), await renderMetricsPage());
