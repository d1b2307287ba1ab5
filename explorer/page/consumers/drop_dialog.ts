import { h, replace } from "../parts/dom.ts";
import { button } from "../parts/parts.ts";

/** Asks before parked events are dropped. */
export class DropDialog {
  readonly element: HTMLDialogElement = h("dialog", { "class": "asking", "aria-label": "Drop" });

  /** Calls back if the user wants it. @param which the sequence of an event, or all that are parked */
  ask(which: number | "all", onDrop: () => void): void {
    const drop = (): void => {
      this.element.close();
      onDrop();
    };
    replace(
      this.element,
      h("h2", {}, which === "all" ? "Drop all parked events?" : `Drop event #${which}?`),
      h(
        "p",
        {},
        `${which === "all" ? "They count" : "It counts"} as handled, without effects. This cannot be undone.`,
      ),
      h(
        "div",
        { class: "panel-actions" },
        button("Cancel", () => this.element.close()),
        button("Drop", drop, { class: "button strong" }),
      ),
    );
    this.element.showModal();
  }
}
