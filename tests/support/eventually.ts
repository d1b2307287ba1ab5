import { delay } from "../../src/async/delay.ts";

export { delay as pause };

/** Tries again until the check passes; throws its last error when it never did. */
export async function eventually(check: () => void | Promise<void>, seconds = 5): Promise<void> {
  const endsAt = performance.now() + seconds * 1000;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > endsAt) throw error;
    }
    await delay(10);
  }
}
