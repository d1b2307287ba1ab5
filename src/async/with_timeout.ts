/**
 * Waits for a promise for a limited time. Its work continues when the time is over.
 * @param late makes the result when the promise has not settled in time, or throws
 */
export async function withTimeout<T, L>(
  promise: T | Promise<T>,
  milliseconds: number,
  late: () => L,
): Promise<T | L> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const isLate = new Promise<L>((resolve) => {
    timer = setTimeout(() => resolve(new Promise((settle) => settle(late()))), milliseconds);
  });
  try {
    return await Promise.race([promise, isLate]);
  } finally {
    clearTimeout(timer);
  }
}
