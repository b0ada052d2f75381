// Writes what is made from the code: docs/configuration.md, docs/metrics.md, and the schema of the Helm chart's values.
import { writeFile } from "node:fs/promises";
import { renderReference } from "../src/config/index.ts";
import { renderMetricsPage } from "../src/telemetry/index.ts";
import { valuesSchemaText } from "./kubernetes/values-schema.ts";

const docs = new URL("../docs/", import.meta.url);
await writeFile(new URL("configuration.md", docs), renderReference());
await writeFile(new URL("metrics.md", docs), await renderMetricsPage());
const chart = new URL("../k8s/chart/", import.meta.url);
await writeFile(new URL("values.schema.json", chart), valuesSchemaText());
