// Usage: node_modules/.bin/node scripts/kubernetes/envoy-config.ts   Writes k8s/components/envoy/envoy.yaml from the file of envoy/ that it comes from.
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const source = new URL("../../envoy/full-duplex.override-host.yaml", import.meta.url);
const target = new URL("../../k8s/components/envoy/envoy.yaml", import.meta.url);

/** Hosts by DNS, of which headless Services tell every pod that is ready. */
const byName =
  "STRICT_DNS\n      # How soon a pod that came is known; one that went is noticed by the connection.\n      dns_refresh_rate: 2s";

const changes: readonly (readonly [RegExp, string])[] = [
  [
    /^# Envoy with Pointsman[\s\S]*?(?=^admin:)/m,
    "# Made by scripts/kubernetes/envoy-config.ts from envoy/full-duplex.override-host.yaml: change that.\n",
  ],
  [/(?<=- name: workers\n {6}type: )STATIC/, byName],
  [
    /(?<= {6}- lb_endpoints:\n)( {14}- endpoint: \{ address: \{ socket_address: \{ address: 127\.0\.0\.1, port_value: 81\d\d \} \} \}\n)+/,
    "              - endpoint: { address: { socket_address: { address: workers, port_value: 8000 } } }\n",
  ],
  [/(?<=- name: picker\n {6}type: )STATIC/, byName],
  [/(?<=socket_address: \{ address: )127\.0\.0\.1(?=, port_value: 9002)/, "pickers"],
];

/** The text of Envoy's settings in a cluster. @throws Error when the file it is made from has changed its form */
export function envoyConfig(): string {
  return changes.reduce(
    (text, [pattern, replacement]) => {
      if (!pattern.test(text)) throw new Error(`envoy/full-duplex.override-host.yaml has nothing like ${pattern}`);
      return text.replace(pattern, replacement);
    },
    readFileSync(source, "utf8"),
  );
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  writeFileSync(target, envoyConfig());
}
