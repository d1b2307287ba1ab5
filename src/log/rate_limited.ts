const MILLISECONDS = 60_000;

/** Calls a function at most once a minute, however often there is a reason. */
export function rateLimited(
  say: (text: string) => void,
  now = () => performance.now(),
): (text: string) => void {
  let saidAt = -Infinity;
  return (text) => {
    if (now() < saidAt + MILLISECONDS) return;
    saidAt = now();
    say(text);
  };
}
