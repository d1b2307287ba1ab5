import { type Child, h, replace } from "./dom.ts";

/** A part of a view. It is drawn again only when its data have changed, and keeps the focus. */
export class Redrawn {
  readonly element: HTMLElement = h("section", { tabindex: -1 });
  #drawn: string | undefined;

  /** @param data JSON, all that `make` shows */
  draw(data: unknown, make: () => readonly Child[]): void {
    const text = JSON.stringify(data);
    if (text === this.#drawn) return;
    this.#drawn = text;
    const focused = document.activeElement;
    const hasFocus = this.element.contains(focused);
    replace(this.element, ...make());
    if (!hasFocus) return;
    const controls = this.element.querySelectorAll<HTMLElement>("a, button");
    ([...controls].find((one) => nameOf(one) === nameOf(focused!)) ?? this.element).focus();
  }
}

function nameOf(element: Element): string | null {
  return element.getAttribute("aria-label") ?? element.textContent;
}
