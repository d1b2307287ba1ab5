import { takeKey } from "./route.ts";

const NAME = "explorer-key";

/**
 * The key of the link that was opened, or the one that this browser was given before: links to what the page shows
 * do not have it. It leaves the address at once, so that it is in no history and in nothing that is copied.
 */
export function keyOfThisBrowser(): string | undefined {
  const { key, rest } = takeKey(location.hash);
  if (key !== undefined) {
    localStorage.setItem(NAME, key);
    history.replaceState(null, "", location.pathname + rest);
  }
  return localStorage.getItem(NAME) ?? undefined;
}

/** Calls back when a link with a key is opened where the page is already: the browser does not load it anew then. */
export function onNewKey(callback: () => void): void {
  globalThis.addEventListener("hashchange", () => {
    if (takeKey(location.hash).key === undefined) return;
    keyOfThisBrowser();
    callback();
  });
}
