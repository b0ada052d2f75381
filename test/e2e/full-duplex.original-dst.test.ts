import { describeGateway } from "./suite/gateway-suite.ts";
import { envoyBinary } from "./support/envoy-binary.ts";

describeGateway({ bodies: "full-duplex", hosts: "original-dst" }, envoyBinary);
