import { type Child, h } from "./dom.ts";
import { type Tag } from "../filter/tag.ts";
import { visibleLine } from "./visible_text.ts";

/*
 * Small parts that several views share.
 */

/** A tag as a button. */
export function tagButton(tag: Tag, title: string, onPress: () => void): HTMLButtonElement {
  return h(
    "button",
    { class: `tag ${tag.kind}`, type: "button", title, on: { click: onPress } },
    h("span", { class: "tag-name" }, `${visibleLine(tag.name)}`),
    h("span", { class: "tag-value" }, h("bdi", {}, visibleLine(tag.value))),
  );
}

/** The mark of a type. @param color the class of its colour */
export function typeMark(color: string): HTMLElement {
  return h("span", { class: `type-mark ${color}`, "aria-hidden": "true" });
}

export function button(
  label: string,
  onPress: () => void,
  properties: Record<string, string> = {},
): HTMLButtonElement {
  return h("button", { type: "button", class: "button", ...properties, on: { click: onPress } }, label);
}

/** An item of a list of facts. */
export function fact(name: string, value: Node | string): HTMLElement[] {
  return [h("dt", {}, name), h("dd", {}, value)];
}

/** A notice in an empty view, which explains why it is empty. */
export function notice(title: string, text: string, ...more: readonly Child[]): HTMLElement {
  return h("div", { class: "notice" }, h("p", { class: "notice-title" }, title), h("p", {}, text), ...more);
}

/** A menu behind a button. A choice, Escape, or a press elsewhere closes it. */
export function menu(label: string, ...content: readonly Child[]): HTMLDetailsElement {
  const details = h(
    "details",
    { class: "menu" },
    h("summary", { class: "button" }, label),
    h("div", { class: "menu-content" }, ...content),
  );
  details.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !details.open) return;
    event.stopPropagation();
    closeMenu(details);
  });
  return details;
}

export function closeMenu(details: HTMLDetailsElement): void {
  details.open = false;
  details.querySelector("summary")?.focus();
}

/** Closes every menu except the one that contains the target of the press. */
export function closeOtherMenus(target: EventTarget | null): void {
  for (const details of document.querySelectorAll<HTMLDetailsElement>("details.menu[open]")) {
    if (!(target instanceof Node && details.contains(target))) details.open = false;
  }
}
