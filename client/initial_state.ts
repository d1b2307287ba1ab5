import type { DecisionModel } from "./decision_model.ts";

/** Returns the state before the first event, which no other use shares. @throws TypeError when it cannot be copied */
export function initialState<State>({ initial }: Pick<DecisionModel<never, State>, "initial">): State {
  if (typeof initial === "function") return (initial as () => State)();
  let copy: State | undefined;
  try {
    copy = structuredClone(initial);
  } catch {
    // Such as a function.
  }
  if (haveSameTypes(initial, copy)) return copy as State;
  throw new TypeError("initial cannot be copied: give a function that returns it");
}

/** The copy of an instance of a class is a plain object. */
function haveSameTypes(value: unknown, copy: unknown): boolean {
  if (Object(value) !== value) return true;
  if (Object(copy) !== copy || Object.getPrototypeOf(value) !== Object.getPrototypeOf(copy)) return false;
  const [values, copies] = [value, copy] as Record<string, unknown>[];
  return Object.keys(values!).every((key) => haveSameTypes(values![key], copies![key]));
}
