import { describeGateway } from "../e2e/suite/gateway-suite.ts";
import { envoyContainer } from "./support/envoy-container.ts";

// One kind of each body mode and of each choice of the host: what differs in a container is how Envoy runs, not what it does.
describeGateway({ bodies: "full-duplex", hosts: "override-host" }, envoyContainer);
describeGateway({ bodies: "buffered", hosts: "original-dst" }, envoyContainer);
