const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const upToOneDecimal = new Intl.NumberFormat("en", { maximumFractionDigits: 1 });
const oneDecimal = new Intl.NumberFormat("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const timeOfDay = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const hourAndMinute = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });

/** What stands where a figure is not known. */
export const unknown = "–";

/** @param {number | undefined} value @returns {string} `12,345` */
export function count(value) {
  return value === undefined ? unknown : whole.format(value);
}

/** @param {number | undefined} value @returns {string} `12.3K`; below 10,000 in full */
export function shortCount(value) {
  if (value === undefined) return unknown;
  return Math.abs(value) < 10_000 ? whole.format(value) : compact.format(value);
}

/** @param {number | undefined} value @returns {string} `12.5`, and `12` where nothing follows the point */
export function blocks(value) {
  if (value === undefined) return unknown;
  return upToOneDecimal.format(value);
}

/** @param {number | undefined} share 0 to 1 @returns {string} `94 %`; near its ends `0.4 %` and `99.9 %` */
export function percent(share) {
  if (share === undefined || Number.isNaN(share)) return unknown;
  const hundredths = share * 100;
  if (share < 1 && hundredths > 99) return `${oneDecimal.format(Math.floor(hundredths * 10) / 10)} %`;
  const isSmall = hundredths > 0 && hundredths < 1;
  return `${isSmall ? oneDecimal.format(hundredths) : whole.format(hundredths)} %`;
}

/** @param {number | undefined} perSecond @returns {string} `3.2 /s` */
export function rate(perSecond) {
  if (perSecond === undefined) return unknown;
  return `${perSecond > 0 && perSecond < 10 ? oneDecimal.format(perSecond) : shortCount(perSecond)} /s`;
}

/** @param {number} atMs ms since 1970 @returns {string} `14:03:27`, of the reader's time zone */
export function clockTime(atMs) {
  return timeOfDay.format(atMs);
}

/** @param {number} atMs ms since 1970 @returns {string} `14:03` */
export function minuteTime(atMs) {
  return hourAndMinute.format(atMs);
}

/** @param {number | undefined} ms @returns {string} `850 ms`, `4.2 s`, `3 min`, `5 h 12 min`, `3 d 4 h` */
export function duration(ms) {
  if (ms === undefined) return unknown;
  if (ms < 1_000) return `${whole.format(ms)} ms`;
  const seconds = ms / 1_000;
  if (seconds < 10) return `${upToOneDecimal.format(seconds)} s`;
  if (seconds < 120) return `${whole.format(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return withRest(hours, "h", minutes % 60, "min");
  return withRest(Math.floor(hours / 24), "d", hours % 24, "h");
}

/** @param {number} amount @param {string} one @param {string} [many] @returns {string} `1 worker`, `3 workers` */
export function quantity(amount, one, many = `${one}s`) {
  return `${count(amount)} ${amount === 1 ? one : many}`;
}

/** @param {readonly string[]} words @returns {string} `a, b and c` */
export function listed(words) {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/** @param {number} amount @param {string} unit @param {number} rest @param {string} restUnit */
function withRest(amount, unit, rest, restUnit) {
  return rest === 0 ? `${amount} ${unit}` : `${amount} ${unit} ${rest} ${restUnit}`;
}
