/** A named sample of waiting times. */
export interface Curve {
  readonly name: string;
  /** ms, in any order. */
  readonly values: readonly number[];
}

const [width, height] = [760, 380];
const [left, right, top, bottom] = [64, 180, 40, 48];
/** Told apart also by those who do not see all colours (Okabe and Ito's), on light and on dark. */
const colours = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#999999", "#f0e442"];
const points = 200;

/** A drawing of how many requests waited how long at most: the part of all requests over time, on a logarithmic scale. */
export function curvesOf(title: string, curves: readonly Curve[]): string {
  const sorted = curves.map(({ name, values }) => ({ name, values: values.toSorted((a, b) => a - b) }));
  const all = sorted.flatMap(({ values }) => [values[0] ?? 1, values.at(-1) ?? 1]);
  const low = 10 ** Math.floor(Math.log10(Math.max(0.1, Math.min(...all))));
  const high = Math.max(low * 10, 10 ** Math.ceil(Math.log10(Math.max(...all, 1))));
  const plotted = { x: scaleOf(low, high), y: (part: number) => top + (1 - part) * (height - top - bottom) };
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="12" fill="#666">`,
    `<text x="${left}" y="20" font-size="14">${escaped(title)}</text>`,
    ...gridOf(low, high, plotted),
    ...sorted.flatMap((curve, at) => lineOf(curve, colours[at % colours.length] ?? "#666", at, plotted)),
    "</svg>",
  ];
  return `${parts.join("\n")}\n`;
}

interface Plotted {
  readonly x: (ms: number) => number;
  readonly y: (part: number) => number;
}

function scaleOf(low: number, high: number): (ms: number) => number {
  const decades = Math.log10(high / low);
  return (ms) => left + (Math.log10(Math.max(ms, low) / low) / decades) * (width - left - right);
}

function gridOf(low: number, high: number, { x, y }: Plotted): readonly string[] {
  const lines: string[] = [];
  for (let ms = low; ms <= high * 1.001; ms *= 10) {
    lines.push(`<path d="M${x(ms).toFixed(1)} ${top}V${height - bottom}" stroke="#8884"/>`);
    lines.push(`<text x="${x(ms).toFixed(1)}" y="${height - bottom + 18}" text-anchor="middle">${shownMs(ms)}</text>`);
  }
  for (const part of [0, 0.25, 0.5, 0.75, 1]) {
    lines.push(`<path d="M${left} ${y(part).toFixed(1)}H${width - right}" stroke="#8884"/>`);
    lines.push(`<text x="${left - 8}" y="${(y(part) + 4).toFixed(1)}" text-anchor="end">${100 * part} %</text>`);
  }
  return lines;
}

function lineOf({ name, values }: Curve, colour: string, at: number, { x, y }: Plotted): readonly string[] {
  const steps = Math.min(points, Math.max(1, values.length - 1));
  const path = Array.from({ length: steps + 1 }, (_, step) => {
    const part = step / steps;
    const ms = values[Math.round(part * (values.length - 1))] ?? 0;
    return `${step === 0 ? "M" : "L"}${x(ms).toFixed(1)} ${y(part).toFixed(1)}`;
  });
  const row = top + 14 + 20 * at;
  return [
    ...(values.length === 0 ? [] : [`<path d="${path.join("")}" fill="none" stroke="${colour}" stroke-width="2"/>`]),
    `<path d="M${width - right + 16} ${row}h20" stroke="${colour}" stroke-width="3"/>`,
    `<text x="${width - right + 42}" y="${row + 4}">${escaped(name)}</text>`,
  ];
}

function shownMs(ms: number): string {
  return ms >= 1_000 ? `${ms / 1_000} s` : `${Number(ms.toPrecision(2))} ms`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
