/** The outcome of a call: a value, or the error that the method threw. */
export type Answer =
  | { readonly value: unknown }
  | { readonly error: { readonly name: string; readonly message: string } };

/** An answer as a message. */
export interface AnswerMessage {
  /** The ID of the call. */
  readonly id: number;
  readonly answer: Answer;
}

export function errorAnswer({ name, message }: Error): Answer {
  return { error: { name, message } };
}
