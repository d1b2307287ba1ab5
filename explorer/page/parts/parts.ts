import { type Child, h } from "./dom.ts";
import { type Tag } from "../filter/tag.ts";
import { visibleLine } from "./visible_text.ts";

/*
 * Small things that several views are made of.
 */

/** A tag that can be pressed. */
export function tagButton(tag: Tag, title: string, onPress: () => void): HTMLButtonElement {
  return h(
    "button",
    { class: `tag ${tag.kind}`, type: "button", title, on: { click: onPress } },
    h("span", { class: "tag-name" }, `${visibleLine(tag.name)}`),
    h("span", { class: "tag-value" }, h("bdi", {}, visibleLine(tag.value))),
  );
}

export function button(
  label: string,
  onPress: () => void,
  properties: Record<string, string> = {},
): HTMLButtonElement {
  return h("button", { type: "button", class: "button", ...properties, on: { click: onPress } }, label);
}

/** What stands where there is nothing to show, and why. */
export function notice(title: string, text: string, ...more: readonly Child[]): HTMLElement {
  return h("div", { class: "notice" }, h("p", { class: "notice-title" }, title), h("p", {}, text), ...more);
}

/** A menu behind a button: choosing something, Escape, or a press elsewhere closes it. */
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

/** Closes the menus that a press was not in. */
export function closeOtherMenus(target: EventTarget | null): void {
  for (const details of document.querySelectorAll<HTMLDetailsElement>("details.menu[open]")) {
    if (!(target instanceof Node && details.contains(target))) details.open = false;
  }
}
