import type { DecisionModel } from "./decision_model.ts";

/** Returns the state before the first event, which no other use shares. @throws TypeError when it cannot be copied */
export function initialState<State>({ initial }: Pick<DecisionModel<never, State>, "initial">): State {
  if (typeof initial === "function") return (initial as () => State)();
  try {
    return copyOf(initial) as State;
  } catch {
    throw new TypeError("initial cannot be copied: give a function that returns it");
  }
}

type Parts = Record<string, unknown>;

/** Copies lists and plain objects itself: a structured clone of them is slow, and each decision needs one. */
function copyOf(value: unknown): unknown {
  if (Object(value) !== value) return value;
  const prototype = Object.getPrototypeOf(value);
  const copy = prototype === Array.prototype
    ? [...value as Parts[]] as unknown as Parts
    : prototype === Object.prototype
    ? { ...value as Parts }
    : structuredClone(value) as Parts;
  for (const key in copy) copy[key] = copyOf(copy[key]);
  // The clone of an instance of a class is a plain object.
  if (Object.getPrototypeOf(copy) === prototype) return copy;
  throw value;
}
