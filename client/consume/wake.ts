/** Lets asynchronous code wait until other code has changed something. */
export class Wake {
  #waiting: (() => void)[] = [];

  /** Ends all waits. */
  wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Waits for the next `wake`, at most for a time. Check again afterwards. */
  async wait(milliseconds?: number): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
      if (milliseconds !== undefined) timer = setTimeout(resolve, milliseconds);
    });
    clearTimeout(timer);
  }
}
