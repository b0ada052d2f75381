import type { Report } from "./report.ts";
import type { Config } from "./schema.ts";

/** The checks of discovery in Kubernetes that need more than one setting. */
export function checkKubernetes({ kubernetes, models }: Config, report: Report): void {
  const { kubeconfig, context, reconnectMinMs, reconnectMaxMs } = kubernetes;
  const tell: Tell = (key, message) => report(["kubernetes", key], message, kubernetes[key]);
  if (!isInKubernetes({ kubernetes })) {
    for (const key of ["namespace", "kubeconfig", "context"] as const) {
      if (kubernetes[key] !== undefined) tell(key, "has no meaning without poolName or endpointSelector");
    }
  }
  checkEndpoints(kubernetes, tell);
  if (context !== undefined && kubeconfig === undefined) tell("context", "has no meaning without kubeconfig");
  if (reconnectMaxMs < reconnectMinMs) {
    tell("reconnectMaxMs", `expected at least kubernetes.reconnectMinMs (${reconnectMinMs})`);
  }
  for (const [i, { role }] of kubernetes.handovers.entries()) {
    const isFirst = kubernetes.handovers.findIndex((other) => other.role === role) === i;
    if (!isFirst) report(["kubernetes", "handovers", i, "role"], "another entry has this role", role);
  }
  checkPodEvents({ kubernetes, models }, report);
}

type Tell = (key: keyof Config["kubernetes"], message: string) => void;

function checkEndpoints({ poolName, endpointSelector, targetPorts }: Config["kubernetes"], tell: Tell): void {
  if (poolName !== undefined && endpointSelector !== undefined) {
    tell("endpointSelector", "has no meaning beside poolName: the pool has a selector");
  } else if (endpointSelector !== undefined && targetPorts.length === 0) {
    tell("targetPorts", "needed with endpointSelector");
  } else if (endpointSelector === undefined && targetPorts.length > 0) {
    tell("targetPorts", "has no meaning without endpointSelector: the pool has ports");
  }
  if (new Set(targetPorts).size < targetPorts.length) tell("targetPorts", "a port is there twice");
}

/** Whether workers are looked for in Kubernetes. */
export function isInKubernetes({ kubernetes }: Pick<Config, "kubernetes">): boolean {
  return kubernetes.poolName !== undefined || kubernetes.endpointSelector !== undefined;
}

/** KV events do not say which model their blocks belong to: pods that do not name theirs serve all. */
function checkPodEvents({ kubernetes, models }: Pick<Config, "kubernetes" | "models">, report: Report): void {
  const { kvEvents } = kubernetes.workers.ports;
  if (kvEvents === undefined || new Set(models.map(({ blockSize }) => blockSize)).size <= 1) return;
  report(["kubernetes", "workers", "ports", "kvEvents"], "expected models of one blockSize", kvEvents);
}
