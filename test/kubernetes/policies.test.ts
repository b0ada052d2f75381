import { describePolicies } from "../e2e/kubernetes/policy-scenarios.ts";
import { clusterWithOurRights } from "./support/with-our-rights.ts";

describePolicies("objectives and rewrites, with a real API server and the rights of our Role", clusterWithOurRights);
