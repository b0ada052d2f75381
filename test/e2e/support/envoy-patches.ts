import { isSeq } from "yaml";
import {
  type ConfigPatch,
  clusterPath,
  connectionManagerPath,
  drop,
  extProcPath,
  put,
  replace,
} from "./envoy-config.ts";

/** Where one Envoy of a test listens and what it talks to; all on 127.0.0.1. */
export interface EnvoyPorts {
  readonly gateway: number;
  readonly admin: number;
  readonly picker: number;
  readonly pickerHealth: number;
}

/** Other ports; the gateway listens on the loopback address only. */
export function onPorts(ports: EnvoyPorts): ConfigPatch {
  return (config) => {
    replace(config, ["admin", "address", "socket_address", "port_value"], ports.admin);
    const listener = ["static_resources", "listeners", 0, "address", "socket_address"];
    replace(config, [...listener, "address"], "127.0.0.1");
    replace(config, [...listener, "port_value"], ports.gateway);
    const endpoint = [...clusterPath(config, "picker"), ...endpointsPath, 0, "endpoint"];
    replace(config, [...endpoint, "address", "socket_address", "port_value"], ports.picker);
    replace(config, [...endpoint, "health_check_config", "port_value"], ports.pickerHealth);
  };
}

const endpointsPath = ["load_assignment", "endpoints", 0, "lb_endpoints"] as const;

/** The pool of an override_host file; nothing to do in an ORIGINAL_DST one. `endpoints` are `host:port`, `[v6]:port`. */
export function withWorkers(endpoints: readonly string[], cluster = "workers"): ConfigPatch {
  return (config) => {
    const path = [...clusterPath(config, cluster), ...endpointsPath];
    if (!config.hasIn(path)) return;
    const hosts = endpoints.map((endpoint) => {
      const { hostname, port } = new URL(`http://${endpoint}`);
      const address = hostname.replace(/^\[|\]$/g, "");
      return { endpoint: { address: { socket_address: { address, port_value: Number(port) } } } };
    });
    replace(config, path, hosts);
  };
}

/**
 * Health changes are seen in a fifth of a second, so that tests need not wait. A picker that is gone refuses the connection; one that does not
 * answer for a second is on a busy machine.
 */
export const fastHealthChecks: ConfigPatch = (config) => {
  const check = [...clusterPath(config, "picker"), "health_checks", 0];
  for (const name of ["interval", "no_traffic_interval"]) replace(config, [...check, name], "0.2s");
  replace(config, [...check, "timeout"], "10s");
};

/**
 * What a managed gateway looks like, whose users can set none of it: no request limit per connection to the picker (so that
 * one HTTP/2 connection takes every reset), and client routing headers arrive at the picker.
 */
export const asManagedGateway: ConfigPatch = (config) => {
  drop(config, commonHttpOptionsPath(clusterPath(config, "picker")));
  drop(config, [...connectionManagerPath, "early_header_mutation_extensions"]);
};

/** Envoy opens a connection more to the picker for each so many requests under way. */
export function streamsPerConnection(streams: number): ConfigPatch {
  return (config) => {
    const http2 = [
      ...clusterPath(config, "picker"),
      ...httpOptionsPath,
      "explicit_http_config",
      "http2_protocol_options",
    ];
    put(config, [...http2, "max_concurrent_streams"], streams);
  };
}

/** Envoy opens a new connection to the picker after each so many requests on one, so that all shards that share a port get some. */
export function requestsPerConnection(requests: number): ConfigPatch {
  return (config) => {
    put(config, [...commonHttpOptionsPath(clusterPath(config, "picker")), "max_requests_per_connection"], requests);
  };
}

/** Envoy half-closes each ext_proc stream and resets it a second later, instead of a reset at once. */
export const withGracefulClose: ConfigPatch = (config) => {
  drop(config, commonHttpOptionsPath(clusterPath(config, "picker")));
  const layer = { name: "static", static_layer: { "envoy.reloadable_features.ext_proc_graceful_grpc_close": true } };
  put(config, ["layered_runtime"], { layers: [layer] });
};

function commonHttpOptionsPath(cluster: readonly (string | number)[]): readonly (string | number)[] {
  return [...cluster, ...httpOptionsPath, "common_http_protocol_options"];
}

const httpOptionsPath = [
  "typed_extension_protocol_options",
  "envoy.extensions.upstreams.http.v3.HttpProtocolOptions",
] as const;

/** For a picker without TLS. */
export const withPlaintextPicker: ConfigPatch = (config) => {
  drop(config, [...clusterPath(config, "picker"), "transport_socket_matches", 1]);
};

/** Envoy accepts only a picker whose certificate `caFile` vouches for and that bears `name`. */
export function withVerifiedPicker(caFile: string, name: string): ConfigPatch {
  return (config) => {
    const socket = [...clusterPath(config, "picker"), "transport_socket_matches", 1, "transport_socket"];
    put(config, [...socket, "typed_config", "common_tls_context", "validation_context"], {
      trusted_ca: { filename: caFile },
      match_typed_subject_alt_names: [{ san_type: "DNS", matcher: { exact: name } }],
    });
  };
}

/** Envoy shows this certificate to the picker. */
export function withClientCertificate(certFile: string, keyFile: string): ConfigPatch {
  return (config) => {
    const socket = [...clusterPath(config, "picker"), "transport_socket_matches", 1, "transport_socket"];
    put(
      config,
      [...socket, "typed_config", "common_tls_context", "tls_certificates"],
      [{ certificate_chain: { filename: certFile }, private_key: { filename: keyFile } }],
    );
  };
}

/** Another choice of what Envoy shows to the picker, and how; with the time to answer that all modes but full duplex need. */
export function withProcessingMode(mode: Readonly<Record<string, string>>): ConfigPatch {
  return (config) => {
    replace(config, [...extProcPath(config), "processing_mode"], mode);
    put(config, [...extProcPath(config), "message_timeout"], "10s");
  };
}

/** Whether requests go on without a picker. */
export function failingOpen(isOpen: boolean): ConfigPatch {
  return (config) => replace(config, [...extProcPath(config), "failure_mode_allow"], isOpen);
}

/** Request trailers are passed on: to the picker and, over HTTP/1, to the workers. */
export const withTrailers: ConfigPatch = (config) => {
  put(config, [...connectionManagerPath, "http_protocol_options"], { enable_trailers: true });
  put(config, [...clusterPath(config, "workers"), "typed_extension_protocol_options"], {
    "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": {
      "@type": "type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions",
      explicit_http_config: { http_protocol_options: { enable_trailers: true } },
    },
  });
};

/**
 * No retries. Needed with trailers in full duplex: Envoy 1.40 sends the body twice when the route has a retry policy and
 * the request has trailers (envoyproxy/envoy#45470).
 */
export const withoutRetries: ConfigPatch = (config) => {
  const host = [...connectionManagerPath, "route_config", "virtual_hosts", 0];
  drop(config, [...host, "routes", 0, "route", "retry_policy"]);
};

/** The request header that {@link withSubsetHeader} turns into the subset of workers to choose from. */
export const subsetHeader = "x-test-subset";

/** A gateway that limits the choice to some workers does it with metadata; here it comes from a request header. */
export const withSubsetHeader: ConfigPatch = (config) => {
  const filters = config.getIn([...connectionManagerPath, "http_filters"]);
  if (!isSeq(filters)) throw new Error("the Envoy file has no HTTP filters");
  const filter = {
    name: "envoy.filters.http.header_to_metadata",
    typed_config: {
      "@type": "type.googleapis.com/envoy.extensions.filters.http.header_to_metadata.v3.Config",
      request_rules: [
        {
          header: subsetHeader,
          on_header_present: {
            metadata_namespace: "envoy.lb.subset_hint",
            key: "x-gateway-destination-endpoint-subset",
            type: "STRING",
          },
          remove: true,
        },
      ],
    },
  };
  filters.items.unshift(config.createNode(filter));
};
