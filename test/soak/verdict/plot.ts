/** A line of a plot. */
export interface PlotLine {
  readonly name: string;
  readonly points: readonly { readonly x: number; readonly y: number }[];
}

/** One picture of a page. */
export interface Plot {
  readonly title: string;
  readonly unit: string;
  readonly lines: readonly PlotLine[];
}

const width = 880;
const height = 230;
const left = 64;
const right = 150;
const top = 28;
const bottom = 28;
const colours = [
  "#0072b2",
  "#d55e00",
  "#009e73",
  "#cc79a7",
  "#e69f00",
  "#56b4e9",
  "#555555",
  "#8c564b",
  "#9467bd",
  "#bcbd22",
  "#17becf",
  "#7f7f7f",
];

/** Plots below each other as an SVG image. @param xLabel of all of them @param markX where the measured time begins */
export function plotsSvg(plots: readonly Plot[], xLabel: string, markX: number): string {
  const drawn = plots.map(
    (plot, i) => `<g transform="translate(0 ${i * height})">${drawPlot(plot, xLabel, markX)}</g>`,
  );
  const head = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${plots.length * height}" font-family="sans-serif" font-size="11">`;
  return `${head}<rect width="100%" height="100%" fill="white"/>${drawn.join("")}</svg>\n`;
}

function drawPlot({ title, unit, lines }: Plot, xLabel: string, markX: number): string {
  const all = lines.flatMap(({ points }) => points);
  const maxX = Math.max(1e-9, ...all.map(({ x }) => x));
  const maxY = Math.max(1e-9, ...all.map(({ y }) => y)) * 1.05;
  const atX = (x: number) => left + (x / maxX) * (width - left - right);
  const atY = (y: number) => height - bottom - (y / maxY) * (height - top - bottom);
  const parts = [
    `<text x="${left}" y="16" font-size="13" font-weight="bold">${title}, ${unit}</text>`,
    `<rect x="${left}" y="${top}" width="${atX(markX) - left}" height="${height - top - bottom}" fill="#f0f0f0"/>`,
  ];
  for (let i = 0; i <= 4; i++) {
    const y = (maxY * i) / 4;
    parts.push(`<line x1="${left}" x2="${width - right}" y1="${atY(y)}" y2="${atY(y)}" stroke="#ddd"/>`);
    parts.push(`<text x="${left - 6}" y="${atY(y) + 4}" text-anchor="end">${y.toPrecision(3)}</text>`);
    const x = (maxX * i) / 4;
    parts.push(`<text x="${atX(x)}" y="${height - bottom + 14}" text-anchor="middle">${x.toPrecision(3)}</text>`);
  }
  parts.push(`<text x="${width - right}" y="${height - 4}" text-anchor="end">${xLabel}</text>`);
  for (const [i, { name, points }] of lines.entries()) {
    const colour = colours[i % colours.length];
    const path = points.map(({ x, y }) => `${atX(x).toFixed(1)},${atY(y).toFixed(1)}`).join(" ");
    parts.push(`<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="1.4"/>`);
    parts.push(`<text x="${width - right + 8}" y="${top + 10 + 14 * i}" fill="${colour}">${name}</text>`);
  }
  return parts.join("");
}
