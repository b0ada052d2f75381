import { generate } from "selfsigned";

/** Texts of a certificate and its key. */
export interface Pems {
  readonly cert: string;
  readonly key: string;
}

const curve = { keyType: "ec", algorithm: "sha256" } as const;

/** A certificate authority of a test's own. */
export async function authority(commonName: string): Promise<Pems> {
  const extensions = [
    { name: "basicConstraints" as const, cA: true },
    { name: "keyUsage" as const, keyCertSign: true, digitalSignature: true },
  ];
  return pemsOf(await generate([{ name: "commonName", value: commonName }], { ...curve, extensions }));
}

/** A certificate that an authority has issued, good for a server and for a client; `notAfterDate` makes an expired one. */
export async function issued(ca: Pems, commonName: string, notAfterDate?: Date): Promise<Pems> {
  const extensions = [
    { name: "basicConstraints" as const, cA: false },
    { name: "extKeyUsage" as const, serverAuth: true, clientAuth: true },
    { name: "subjectAltName" as const, altNames: [{ type: 2 as const, value: commonName }] },
  ];
  const dates = notAfterDate === undefined ? {} : { notBeforeDate: new Date(0), notAfterDate };
  return pemsOf(await generate([{ name: "commonName", value: commonName }], { ...curve, ...dates, extensions, ca }));
}

function pemsOf({ cert, private: key }: { readonly cert: string; readonly private: string }): Pems {
  return { cert, key };
}
