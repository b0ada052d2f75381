import { element, fill, setText, svgElement } from "./elements.js";
import { clockTime, minuteTime } from "./format.js";

/** @typedef {{ atMs: number, value: number | undefined }} Point value undefined = nothing was measured: the line has a gap */

/**
 * @typedef {object} ChartOptions
 * @property {string} id of its title and description
 * @property {string} title
 * @property {(value: number) => string} format of a value
 * @property {number} [top] the scale's upper end; absent = what the largest value needs
 * @property {string} [kind] class of the line
 */

/** @typedef {{ startMs: number, spanMs: number, top: number, width: number, points: readonly Point[] }} Frame */

const height = 200;
const margin = { top: 10, right: 8, bottom: 22, left: 44 };

/** A line over time, drawn to the room that it has. */
export class LineChart {
  /** @type {Frame | undefined} */
  #frame;

  /** @param {ChartOptions} options */
  constructor(options) {
    this.options = options;
    const { id, title } = options;
    this.title = svgElement("title", { id: `${id}-title` }, title);
    this.description = svgElement("desc", { id: `${id}-desc` });
    this.drawing = svgElement("g");
    this.cursor = svgElement("g", { class: "cursor" });
    this.svg = svgElement(
      "svg",
      { role: "img", "aria-labelledby": `${id}-title ${id}-desc`, class: `chart ${options.kind ?? ""}`, height },
      this.title,
      this.description,
      this.drawing,
      this.cursor,
    );
    this.readout = element("p", { class: "readout", "aria-hidden": "true" });
    this.root = element("div", { class: "chart-box" }, this.svg, this.readout);
    new ResizeObserver(() => this.#redraw()).observe(this.root);
    this.svg.addEventListener("pointermove", (event) => this.#point(event));
    this.svg.addEventListener("pointerleave", () => this.#unpoint());
  }

  /**
   * @param {readonly Point[]} points by time
   * @param {number} endMs
   * @param {number} spanMs
   * @param {string} description what a reader would see in it
   */
  update(points, endMs, spanMs, description) {
    const values = points.map(({ value }) => value ?? 0);
    const top = this.options.top ?? roundTop(Math.max(0, ...values));
    this.#frame = { startMs: endMs - spanMs, spanMs, top, width: 0, points };
    setText(this.description, description);
    this.#redraw();
  }

  #redraw() {
    const width = this.root.clientWidth;
    if (this.#frame === undefined || width === 0) return;
    const frame = { ...this.#frame, width };
    this.#frame = frame;
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    fill(this.drawing, ...this.#scale(frame), ...times(frame), ...lines(frame));
  }

  /** @param {Frame} frame */
  #scale(frame) {
    return [0, 0.25, 0.5, 0.75, 1].flatMap((share) => {
      const y = yOf(frame, share * frame.top);
      const line = svgElement("line", { class: "grid", x1: margin.left, x2: frame.width - margin.right, y1: y, y2: y });
      const isNamed = share * 2 === Math.round(share * 2);
      const text = svgElement(
        "text",
        { x: margin.left - 8, y: y + 4, "text-anchor": "end" },
        this.options.format(share * frame.top),
      );
      return isNamed ? [line, text] : [line];
    });
  }

  /** @param {PointerEvent} event */
  #point(event) {
    const frame = this.#frame;
    if (frame === undefined) return;
    const atMs = frame.startMs + ((event.offsetX - margin.left) / plotWidth(frame)) * frame.spanMs;
    const near = frame.points.reduce(
      (/** @type {Point | undefined} */ best, point) =>
        best === undefined || Math.abs(point.atMs - atMs) < Math.abs(best.atMs - atMs) ? point : best,
      undefined,
    );
    if (near === undefined) return;
    const x = xOf(frame, near.atMs);
    const line = svgElement("line", { x1: x, x2: x, y1: margin.top, y2: height - margin.bottom });
    const dot =
      near.value === undefined ? undefined : svgElement("circle", { cx: x, cy: yOf(frame, near.value), r: 3.5 });
    fill(this.cursor, line, dot);
    setText(
      this.readout,
      `${clockTime(near.atMs)}  ${near.value === undefined ? "nothing measured" : this.options.format(near.value)}`,
    );
  }

  #unpoint() {
    fill(this.cursor);
    setText(this.readout, "");
  }
}

/** @param {Frame} frame */
function plotWidth({ width }) {
  return Math.max(1, width - margin.left - margin.right);
}

/** @param {Frame} frame @param {number} atMs */
function xOf(frame, atMs) {
  return margin.left + ((atMs - frame.startMs) / frame.spanMs) * plotWidth(frame);
}

/** @param {Frame} frame @param {number} value */
function yOf({ top }, value) {
  return height - margin.bottom - (value / top) * (height - margin.top - margin.bottom);
}

/** The line and the area below it, one of each for each run of points without a gap. @param {Frame} frame */
function lines(frame) {
  return runsOf(frame.points).flatMap((run) => {
    const place = run.map(({ atMs, value = 0 }) => `${xOf(frame, atMs).toFixed(1)},${yOf(frame, value).toFixed(1)}`);
    const from = xOf(frame, run[0]?.atMs ?? 0).toFixed(1);
    const to = xOf(frame, run.at(-1)?.atMs ?? 0).toFixed(1);
    const ground = yOf(frame, 0);
    if (run.length === 1) {
      const [x = "", y = ""] = place[0]?.split(",") ?? [];
      return [svgElement("circle", { class: "line dot", cx: x, cy: y, r: 2 })];
    }
    return [
      svgElement("path", { class: "area", d: `M${from},${ground} L${place.join(" L")} L${to},${ground} Z` }),
      svgElement("path", { class: "line", d: `M${place.join(" L")}` }),
    ];
  });
}

/** @param {readonly Point[]} points */
function runsOf(points) {
  /** @type {Point[][]} */
  const runs = [[]];
  for (const point of points) {
    if (point.value !== undefined) runs.at(-1)?.push(point);
    else if (runs.at(-1)?.length !== 0) runs.push([]);
  }
  return runs.filter((run) => run.length > 0);
}

/** Lengths of time between two marks of the axis, s: a whole number of them makes a minute, an hour, a day. */
const steps = [10, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 43_200, 86_400];

/** Times below the chart. @param {Frame} frame */
function times(frame) {
  const most = Math.max(2, Math.floor(plotWidth(frame) / 90));
  const stepMs = 1_000 * (steps.find((step) => frame.spanMs / (step * 1_000) <= most) ?? 86_400);
  const named = stepMs < 60_000 ? clockTime : minuteTime;
  const marks = [];
  for (let at = Math.ceil(frame.startMs / stepMs) * stepMs; at <= frame.startMs + frame.spanMs; at += stepMs) {
    const x = xOf(frame, at);
    if (x < margin.left + 20 || x > frame.width - margin.right - 24) continue;
    marks.push(svgElement("text", { x, y: height - 6, "text-anchor": "middle" }, named(at)));
  }
  return marks;
}

/** The next of 1, 2, 5, 10, ... @param {number} largest */
function roundTop(largest) {
  if (largest <= 1) return 1;
  const magnitude = 10 ** Math.floor(Math.log10(largest));
  return [1, 2, 5, 10].map((factor) => factor * magnitude).find((top) => top >= largest) ?? largest;
}
