/** Waits until the page is visible. @throws when the signal aborts */
export async function untilVisible(signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (!document.hidden) return;
  await new Promise<void>((resolve, reject) => {
    const listening = new AbortController();
    const end = (then: () => void) => (): void => {
      if (document.hidden && !signal.aborted) return;
      listening.abort();
      then();
    };
    document.addEventListener("visibilitychange", end(resolve), { signal: listening.signal });
    signal.addEventListener("abort", end(() => reject(signal.reason)), { signal: listening.signal });
  });
}

/** Runs now and then regularly, while the page is visible, until the signal aborts. It does not throw. */
export async function regularly(
  milliseconds: number,
  run: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  try {
    while (!signal.aborted) {
      await run();
      await sleep(milliseconds, signal);
      await untilVisible(signal);
    }
  } catch {
    // It was aborted.
  }
}

/** Waits for a time, or until the signal aborts. */
export async function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    }, { once: true });
  });
}
