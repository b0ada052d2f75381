import { UnsupportedFeature } from "./unsupported-feature.ts";

/** A JSON object as JSON.parse gives it. */
export type Shape = Readonly<Record<string, unknown>>;

/** @throws UnsupportedFeature when `value` is not an object */
export function asShape(value: unknown, where: string): Shape {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new UnsupportedFeature(`${where} is not an object`);
  return value as Shape;
}

/** @throws UnsupportedFeature when `value` is not an array */
export function asList(value: unknown, where: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new UnsupportedFeature(`${where} is not a list`);
  return value;
}

/** The items of a `Sequence` under `key`, or the component itself; none for null. */
export function sequence(component: unknown, key: string, where: string): readonly Shape[] {
  if (component === null || component === undefined) return [];
  const shape = asShape(component, where);
  if (shape["type"] !== "Sequence") return [shape];
  return asList(shape[key], where).flatMap((item) => sequence(item, key, where));
}
