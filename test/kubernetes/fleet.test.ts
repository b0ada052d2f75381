import { describeFleet } from "../e2e/kubernetes/fleet-scenarios.ts";
import { clusterWithOurRights } from "./support/with-our-rights.ts";

describeFleet("a fleet in Kubernetes, with a real API server and the rights of our Role", clusterWithOurRights);
