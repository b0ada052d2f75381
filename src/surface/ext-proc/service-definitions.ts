import { fileURLToPath } from "node:url";
import { loadPackageDefinition, type ServiceDefinition } from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";

/** Full name of the ext_proc service; also a name under which its health is asked. */
export const EXT_PROC_SERVICE_NAME = "envoy.service.ext_proc.v3.ExternalProcessor";

/** The gRPC services of this surface, ready for `Server.addService` or a client. */
export interface ServiceDefinitions {
  readonly externalProcessor: ServiceDefinition;
  readonly health: ServiceDefinition;
}

/**
 * Loads the two services from `proto/`, which lies at the same depth from the sources and from the compiled code.
 * Snake-case names are kept, enums are numbers, absent fields stay absent, and `kind` names the member of a Struct's value.
 */
export function loadServiceDefinitions(): ServiceDefinitions {
  const definition = loadSync(["envoy/service/ext_proc/v3/external_processor.proto", "grpc/health/v1/health.proto"], {
    includeDirs: [fileURLToPath(new URL("../../../proto/", import.meta.url))],
    keepCase: true,
    oneofs: true,
  });
  // Fails at start, not at the first request, when a file lacks its service.
  loadPackageDefinition(definition);
  return {
    externalProcessor: definition[EXT_PROC_SERVICE_NAME] as ServiceDefinition,
    health: definition["grpc.health.v1.Health"] as ServiceDefinition,
  };
}
