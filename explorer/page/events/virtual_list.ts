import { h } from "../parts/dom.ts";

/** Rows rendered outside the viewport, above and below. */
const MORE_ROWS = 10;

export interface VirtualListOptions<Item> {
  readonly label: string;
  /** The identity of an item, which stays when its index changes. */
  keyOf(item: Item): number;
  /** Makes the element of an item. The list positions it. */
  rowOf(item: Item): HTMLElement;
  /** Called when the last rows are near, so that more may be read. */
  onNearEnd(): void;
  onScroll(): void;
}

/** A list that renders only the rows in view, whatever its length. All rows have the same height. */
export class VirtualList<Item> {
  readonly element: HTMLElement;
  readonly #rows: HTMLElement;
  readonly #options: VirtualListOptions<Item>;
  readonly #shown = new Map<number, HTMLElement>();
  #items: readonly Item[] = [];
  #isDrawing = false;

  constructor(options: VirtualListOptions<Item>) {
    this.#options = options;
    this.#rows = h("ol", { class: "rows", "aria-label": options.label });
    this.element = h(
      "div",
      { class: "list", tabindex: 0, role: "region", "aria-label": options.label },
      this.#rows,
    );
    this.element.addEventListener("scroll", () => {
      options.onScroll();
      this.#later();
    }, { passive: true });
    new ResizeObserver(() => this.#later()).observe(this.element);
  }

  get isAtTop(): boolean {
    return this.element.scrollTop < this.#rowHeight / 2;
  }

  /** @param isAnew true when the rendered rows are out of date */
  set(items: readonly Item[], isAnew: boolean): void {
    this.#items = items;
    if (isAnew) {
      this.redraw();
      this.element.scrollTop = 0;
    }
    this.#later();
  }

  /** Makes the rows anew. The list stays where it is scrolled to. */
  redraw(): void {
    this.#shown.forEach((row) => row.remove());
    this.#shown.clear();
    this.#later();
  }

  scrollTo(index: number): void {
    const top = index * this.#rowHeight;
    const { scrollTop, clientHeight } = this.element;
    if (top < scrollTop) this.element.scrollTop = top;
    else if (top + this.#rowHeight > scrollTop + clientHeight) {
      this.element.scrollTop = top + this.#rowHeight - clientHeight;
    }
    this.#draw();
  }

  rowOf(key: number): HTMLElement | undefined {
    return this.#shown.get(key);
  }

  get #rowHeight(): number {
    return parseFloat(getComputedStyle(this.element).getPropertyValue("--row-height")) || 36;
  }

  /** Draws at most once a frame. */
  #later(): void {
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    requestAnimationFrame(() => {
      this.#isDrawing = false;
      this.#draw();
    });
  }

  #draw(): void {
    const height = this.#rowHeight;
    const { scrollTop, clientHeight } = this.element;
    const count = this.#items.length;
    this.#rows.style.height = `${count * height}px`;
    const first = Math.max(0, Math.floor(scrollTop / height) - MORE_ROWS);
    const end = Math.min(count, Math.ceil((scrollTop + clientHeight) / height) + MORE_ROWS);
    const wanted = new Set(this.#items.slice(first, end).map(this.#options.keyOf));
    for (const [key, row] of this.#shown) {
      if (!wanted.has(key)) {
        row.remove();
        this.#shown.delete(key);
      }
    }
    let before: HTMLElement | null = null;
    for (let i = end - 1; i >= first; i--) {
      before = this.#place(this.#items[i]!, i, height, before);
    }
    if (count > 0 && end > count - 2 * MORE_ROWS) this.#options.onNearEnd();
  }

  /** Rows are in the document in their order, for screen readers. */
  #place(item: Item, index: number, height: number, before: HTMLElement | null): HTMLElement {
    const key = this.#options.keyOf(item);
    let row = this.#shown.get(key);
    if (row === undefined) {
      row = this.#options.rowOf(item);
      this.#shown.set(key, row);
    }
    row.style.transform = `translateY(${index * height}px)`;
    row.setAttribute("aria-setsize", "-1");
    row.setAttribute("aria-posinset", String(index + 1));
    if (row.parentNode === null || row.nextSibling !== before) this.#rows.insertBefore(row, before);
    return row;
  }
}
