import { metaspace } from "./joined-characters-scanner.ts";
import { asShape, type Shape, sequence } from "./json-shape.ts";
import { normalizeNfc } from "./nfc.ts";
import { UnsupportedFeature } from "./unsupported-feature.ts";

/** The steps of a model's normaliser that this engine has. */
export interface Normalizer {
  readonly nfc: boolean;
  /** Spaces become U+2581. */
  readonly replacesSpaces: boolean;
  /** U+2581 is put before each piece between added tokens. */
  readonly prepends: boolean;
}

const metaspaceText = String.fromCharCode(metaspace);

/** @throws UnsupportedFeature for any other step */
export function readNormalizer(component: unknown): Normalizer {
  let [nfc, replacesSpaces, prepends] = [false, false, false];
  for (const step of sequence(component, "normalizers", "normalizer")) {
    if (step["type"] === "NFC") nfc = true;
    else if (isSpaceReplacement(step)) replacesSpaces = true;
    else if (step["type"] === "Prepend" && step["prepend"] === metaspaceText && !prepends) prepends = true;
    else throw new UnsupportedFeature(`normalizer ${String(step["type"])}`);
  }
  if (nfc && (replacesSpaces || prepends)) throw new UnsupportedFeature("NFC with other normalizers");
  if (prepends && !replacesSpaces) throw new UnsupportedFeature("Prepend without Replace");
  return { nfc, replacesSpaces, prepends };
}

/** Whether every text is its own normal form. */
export function isIdentity({ nfc, replacesSpaces, prepends }: Normalizer): boolean {
  return !nfc && !replacesSpaces && !prepends;
}

/** The normal form of a whole piece between added tokens. */
export function normalise(text: string, { nfc, replacesSpaces, prepends }: Normalizer): string {
  let normal = nfc ? normalizeNfc(text) : text;
  if (replacesSpaces) normal = normal.replaceAll(" ", metaspaceText);
  return prepends && normal !== "" ? metaspaceText + normal : normal;
}

function isSpaceReplacement(step: Shape): boolean {
  return (
    step["type"] === "Replace" &&
    asShape(step["pattern"], "pattern")["String"] === " " &&
    step["content"] === metaspaceText
  );
}
