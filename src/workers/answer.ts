/** What came of a call: a value, or what the method threw. */
export type Answer =
  | { readonly value: unknown }
  | { readonly error: { readonly name: string; readonly message: string } };

export function errorAnswer({ name, message }: Error): Answer {
  return { error: { name, message } };
}
