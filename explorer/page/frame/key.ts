import { takeKey } from "./route.ts";

const NAME = "explorer-key";

/**
 * The key of the opened link, or the one that this browser has stored: copied links do not contain it. The function
 * removes the key from the address at once, so that neither the history nor a copied address contains it.
 */
export function keyOfThisBrowser(): string | undefined {
  const { key, rest } = takeKey(location.hash);
  if (key !== undefined) {
    localStorage.setItem(NAME, key);
    history.replaceState(null, "", location.pathname + rest);
  }
  return localStorage.getItem(NAME) ?? undefined;
}

/** Calls back when a link with a key is opened in a tab that shows the page: the browser does not reload it then. */
export function onNewKey(callback: () => void): void {
  globalThis.addEventListener("hashchange", () => {
    if (takeKey(location.hash).key === undefined) return;
    keyOfThisBrowser();
    callback();
  });
}
