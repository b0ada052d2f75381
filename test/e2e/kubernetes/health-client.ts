import { Client, credentials } from "@grpc/grpc-js";

/** What a health service says of a name. Source: grpc.health.v1, `ServingStatus`. */
const statuses = ["UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN"] as const;

/** Asks a plain-text health port for the status of a service, as Envoy and the kubelet do. */
export async function healthOf(port: number, service: string): Promise<(typeof statuses)[number]> {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  try {
    const answer = await new Promise<Buffer>((resolve, reject) => {
      const encode = (name: string) => Buffer.from([0x0a, name.length, ...Buffer.from(name)]);
      client.makeUnaryRequest(
        "/grpc.health.v1.Health/Check",
        encode,
        (bytes: Buffer) => bytes,
        service,
        (error, value) => {
          if (error !== null) reject(error);
          else resolve(value ?? Buffer.alloc(0));
        },
      );
    });
    // One field, the status; absent = 0.
    return statuses[answer[1] ?? 0] ?? "UNKNOWN";
  } finally {
    client.close();
  }
}
