/** Resolves after some milliseconds; after 0, once the event loop has handled what is ready. */
export function delay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
