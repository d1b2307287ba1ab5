import { h } from "../parts/dom.ts";

/** This browser stores the theme here. Without one, the page follows the system. */
const NAME = "explorer-theme";

/** In the order in which the button changes them. */
const THEMES = ["system", "light", "dark"] as const;
type Theme = typeof THEMES[number];

/** The button that changes between the theme of the system, a light and a dark one. It shows the stored theme at once. */
export function themeSwitch(): HTMLButtonElement {
  let theme = THEMES.find((known) => known === localStorage.getItem(NAME)) ?? "system";
  const element = h("button", { type: "button", class: "button icon theme", on: { click: next } });
  show();
  return element;

  function next(): void {
    theme = followerOf(theme);
    if (theme === "system") localStorage.removeItem(NAME);
    else localStorage.setItem(NAME, theme);
    show();
  }

  function show(): void {
    document.documentElement.style.colorScheme = theme === "system" ? "" : theme;
    element.dataset["theme"] = theme;
    element.ariaLabel = element.title = `Theme: ${theme}. Change to ${followerOf(theme)}`;
  }
}

function followerOf(theme: Theme): Theme {
  return THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]!;
}
