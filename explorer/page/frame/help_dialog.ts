import { h } from "../parts/dom.ts";
import { button } from "../parts/parts.ts";

const KEYS = [
  ["/", "filter, or the field of this view"],
  ["|", "in the filter: or"],
  ["j  k", "next, previous event"],
  ["Enter", "open the event"],
  ["Esc", "close"],
  ["p", "pause and resume"],
  ["g", "to the top"],
  ["1 \u2013 7", "the views"],
  ["?", "this help"],
] as const;

/** A dialog that explains the keys. */
export function helpDialog(): HTMLDialogElement {
  const dialog = h(
    "dialog",
    { "class": "help", "aria-label": "Keys" },
    h("h2", {}, "Keys"),
    h(
      "dl",
      { class: "keys" },
      ...KEYS.flatMap((
        [keys, what],
      ) => [h("dt", {}, ...keys.split("  ").map((key) => h("kbd", {}, key))), h("dd", {}, what)]),
    ),
    button("Close", () => dialog.close(), { class: "button strong" }),
  );
  return dialog;
}
