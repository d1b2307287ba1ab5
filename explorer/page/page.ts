import type { Whoami } from "./store/rights.ts";
import { h } from "./parts/dom.ts";
import { failureText } from "./frame/failure_texts.ts";
import { helpDialog } from "./frame/help_dialog.ts";
import { keyOfThisBrowser, onNewKey } from "./frame/key.ts";
import { Pages } from "./frame/pages.ts";
import { closeOtherMenus, notice } from "./parts/parts.ts";
import { Shell } from "./frame/shell.ts";
import { type About, CallError, StoreCalls } from "./store/store_calls.ts";

/*
 * Starts the page: reads the key, asks for the explorer's facts and the edition, then shows the view of the address.
 */

const RETRY_MILLISECONDS = 2000;

const dialog = helpDialog();
const shell = new Shell(() => dialog.showModal());
document.body.append(dialog);
const key = keyOfThisBrowser();
onNewKey(() => location.reload());
if (key === undefined) showNoKey();
else void begin(key);

function showNoKey(): void {
  const text = "Open the link that was printed when the explorer was started: it carries the key.";
  shell.main.replaceChildren(h("div", { class: "view" }, notice("This page needs its key", text)));
}

async function begin(key: string): Promise<void> {
  const shown: { pages?: Pages } = {};
  let about: About | undefined;
  let isAway = false;
  const calls = new StoreCalls(key, {
    onAnswer() {
      shell.showState(undefined);
      if (isAway) setTimeout(() => shown.pages?.resume());
      isAway = false;
    },
    onFailure(error) {
      if (!isAway) setTimeout(() => shown.pages?.away());
      isAway = true;
      shell.showState(failureText(error, about));
    },
    onOtherStore() {
      shell.say("The store was reset or replaced: this is what it holds now");
      // Later, because the caller still uses the answer that reported the other store.
      setTimeout(() => shown.pages?.reload());
    },
  });
  const whoami = await untilAnswered(async () => {
    about = await calls.about();
    return JSON.parse(await calls.text("/whoami")) as Whoami;
  });
  if (whoami === undefined || about === undefined) return showNoKey();
  shell.showAbout(about, whoami);
  const pages = shown.pages = new Pages(shell, calls, about, whoami);
  listen(pages);
  pages.show();
  // While the store does not answer, the page polls it.
  setInterval(() => {
    if (isAway && !document.hidden) calls.text("/health").catch(() => {});
  }, RETRY_MILLISECONDS);
}

/** Asks until there is an answer. Undefined when the key is not the right one. */
async function untilAnswered<T>(ask: () => Promise<T>): Promise<T | undefined> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (error instanceof CallError && error.status === 403) return undefined;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MILLISECONDS));
    }
  }
}

/** True while a dialog is open. Keys are for the dialog then. */
function isAsking(): boolean {
  return document.querySelector("dialog[open]") !== null;
}

function listen(pages: Pages): void {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isAsking()) return;
    const { target, key } = event;
    const isField = target instanceof Element && target.closest("input, textarea, select") !== null;
    const isPress = key === "Enter" && target instanceof Element &&
      target.closest("a, button, summary") !== null;
    // In these elements, arrows scroll.
    const isScroll = key.startsWith("Arrow") && target instanceof Element &&
      target.closest(".panel") !== null;
    if (isField || isPress || isScroll) return;
    if (key === "?") dialog.showModal();
    else if (!pages.onKey(key)) return;
    event.preventDefault();
  });
  document.addEventListener("pointerdown", ({ target }) => closeOtherMenus(target));
}
