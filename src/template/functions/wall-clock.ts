/** Puts what a clock on the wall shows at an instant into the UTC fields of a date. */
export type WallClock = (instant: Date) => Date;

const localClock: WallClock = (instant) =>
  new Date(
    Date.UTC(
      ...([instant.getFullYear(), instant.getMonth(), instant.getDate()] as const),
      ...([instant.getHours(), instant.getMinutes(), instant.getSeconds()] as const),
    ),
  );

/**
 * The clock of a time zone.
 * @param timeZone an IANA name, as `Europe/Oslo`; undefined: the process's own zone
 * @throws RangeError for an unknown one
 */
export function wallClock(timeZone: string | undefined): WallClock {
  if (timeZone === undefined) return localClock;
  const options = {
    timeZone,
    hourCycle: "h23",
    ...numeric("year", "month", "day", "hour", "minute", "second"),
  } as const;
  const format = new Intl.DateTimeFormat("en-US-u-ca-gregory-nu-latn", options);
  return (instant) => {
    const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
    const part = (name: Intl.DateTimeFormatPartTypes) => parts.get(name) ?? 0;
    return new Date(
      Date.UTC(part("year"), part("month") - 1, part("day"), part("hour"), part("minute"), part("second")),
    );
  };
}

function numeric<Field extends string>(...fields: readonly Field[]): Readonly<Record<Field, "numeric">> {
  return Object.fromEntries(fields.map((field) => [field, "numeric"])) as Record<Field, "numeric">;
}
