import { h } from "../parts/dom.ts";
import { visibleLine } from "../parts/visible_text.ts";
import { type Alternative, withoutTag, withoutType } from "./filter.ts";

/** The types and tags of an alternative of the filter, each with a button that removes it. */
export function alternativeChips(
  alternative: Alternative,
  onChange: (changed: Alternative) => void,
): HTMLElement[] {
  return [
    ...alternative.types.map((type) =>
      chip("type", "type", type, () => onChange(withoutType(alternative, type)))
    ),
    ...alternative.tags.map((tag) =>
      chip(tag.kind, tag.name, tag.value, () => onChange(withoutTag(alternative, tag)))
    ),
  ];
}

function chip(kind: string, name: string, value: string, onRemove: () => void): HTMLElement {
  const text = visibleLine(`${name} ${value}`);
  return h(
    "span",
    { class: `chip ${kind}` },
    h("span", { class: "tag-name" }, visibleLine(name)),
    h("span", { class: "tag-value" }, h("bdi", {}, visibleLine(value))),
    h("button", { "type": "button", "aria-label": `Remove ${text}`, "on": { click: onRemove } }, "\u2715"),
  );
}
