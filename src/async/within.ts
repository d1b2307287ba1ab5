/**
 * Waits for a promise for a limited time. Its work continues when the time is over.
 * @param late makes the result when the promise has not settled in time, or throws
 */
export async function within<T, L>(
  promise: Promise<T> | undefined,
  milliseconds: number,
  late: () => L,
): Promise<T | L> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const isLate = new Promise<L>((resolve, reject) => {
    timer = setTimeout(
      () => Promise.try(late).then(resolve as (value: Awaited<L>) => void, reject),
      milliseconds,
    );
  });
  try {
    return await Promise.race([promise as Promise<T>, isLate]);
  } finally {
    clearTimeout(timer);
  }
}
