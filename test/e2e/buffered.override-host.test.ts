import { describeGateway } from "./suite/gateway-suite.ts";
import { envoyBinary } from "./support/envoy-binary.ts";

describeGateway({ bodies: "buffered", hosts: "override-host" }, envoyBinary);
