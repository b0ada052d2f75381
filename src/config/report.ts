/** Where a setting is, as the schema's issues say it. */
export type Path = readonly (string | number)[];
/** Tells one problem; `value` is shown as the value at fault. */
export type Report = (path: Path, message: string, value: unknown) => void;
