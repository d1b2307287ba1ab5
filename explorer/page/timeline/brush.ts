import { h } from "../parts/dom.ts";

/** A shorter movement counts as a press. */
const PIXELS_MIN = 4;

/** Lets the user choose a part of an element by dragging over it. 0 is its left edge, 1 its right edge. */
export function brushOver(plot: HTMLElement, onChoice: (low: number, high: number) => void): void {
  const brush = h("div", { class: "timeline-brush", hidden: true });
  plot.append(brush);
  let start: number | undefined;
  const rangeTo = (event: PointerEvent, start: number): [number, number] => {
    const { left, width } = plot.getBoundingClientRect();
    const end = Math.min(1, Math.max(0, (event.clientX - left) / width));
    return [Math.min(start, end), Math.max(start, end)];
  };
  plot.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    const { left, width } = plot.getBoundingClientRect();
    start = Math.min(1, Math.max(0, (event.clientX - left) / width));
    plot.setPointerCapture(event.pointerId);
  });
  plot.addEventListener("pointermove", (event) => {
    if (start === undefined) return;
    const [low, high] = rangeTo(event, start);
    brush.hidden = false;
    brush.style.left = `${100 * low}%`;
    brush.style.width = `${100 * (high - low)}%`;
  });
  plot.addEventListener("pointercancel", () => {
    start = undefined;
    brush.hidden = true;
  });
  plot.addEventListener("pointerup", (event) => {
    brush.hidden = true;
    if (start === undefined) return;
    const [low, high] = rangeTo(event, start);
    start = undefined;
    if ((high - low) * plot.clientWidth >= PIXELS_MIN) onChoice(low, high);
  });
}
