import type { Page } from "playwright-core";

/** What was found of the words that can be seen. */
export interface ContrastReport {
  /** Words looked at: runs of text. */
  readonly words: number;
  /** Those whose contrast with their ground is below 4.5 (WCAG 2.2, 1.4.3), with the figure. */
  readonly faults: readonly string[];
}

/**
 * Computes the contrast of every visible text with what it stands on: the nearest grounds behind it, laid over each other. Texts in SVG are
 * filled, others coloured. What is disabled or behind an open dialog does not count.
 */
export async function contrastFaults(page: Page): Promise<ContrastReport> {
  return await page.evaluate(() => {
    type Color = readonly [red: number, green: number, blue: number, alpha: number];
    const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    if (canvas === null) throw new Error("no canvas");

    function parse(text: string): Color {
      if (canvas === null) throw new Error("no canvas");
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = text;
      canvas.fillRect(0, 0, 1, 1);
      const [red = 0, green = 0, blue = 0, alpha = 0] = canvas.getImageData(0, 0, 1, 1).data;
      return [red, green, blue, alpha / 255];
    }
    function over(top: Color, below: Color): Color {
      const mix = (a: number, b: number) => a * top[3] + b * (1 - top[3]);
      return [mix(top[0], below[0]), mix(top[1], below[1]), mix(top[2], below[2]), 1];
    }
    function luminance([red, green, blue]: Color): number {
      const [r = 0, g = 0, b = 0] = [red, green, blue].map((channel) => {
        const share = channel / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    }
    function groundOf(element: Element): Color {
      const layers: Color[] = [];
      for (let at: Element | null = element; at !== null; at = at.parentElement) {
        const color = parse(getComputedStyle(at).backgroundColor);
        layers.push(color);
        if (color[3] === 1 || at.tagName === "DIALOG") break;
      }
      return layers.reduceRight((below, top) => over(top, below), [255, 255, 255, 1] as Color);
    }

    const openDialog = document.querySelector("dialog[open]");
    const root = openDialog ?? document.body;
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const faults: string[] = [];
    let words = 0;
    while (walker.nextNode()) {
      const text = walker.currentNode.textContent?.trim() ?? "";
      const element = walker.currentNode.parentElement;
      if (text === "" || element === null || !element.checkVisibility({ visibilityProperty: true })) continue;
      if (element.closest("script, style, title, desc, noscript, .unseen") !== null) continue;
      words += 1;
      const style = getComputedStyle(element);
      const ground = groundOf(element);
      const color = over(parse(element instanceof SVGElement ? style.fill : style.color), ground);
      const [light = 0, dark = 0] = [luminance(color), luminance(ground)].sort((a, b) => b - a);
      const ratio = (light + 0.05) / (dark + 0.05);
      if (ratio < 4.5)
        faults.push(`"${text.slice(0, 40)}" ${ratio.toFixed(2)} (${style.color} on ${ground.join(",")})`);
    }
    return { words, faults };
  });
}
