/** A character, @, and a domain: up to 250 letters, digits, hyphens and dots, then a dot before two letters. */
const EMAIL = /[^\s@]@[\p{L}\p{M}\p{N}-][\p{L}\p{M}\p{N}.-]{0,250}\.\p{L}{2}/u;

/** True when a part of the text looks like an e-mail address. A version such as `orders@1.4.2` does not. */
export function containsEmail(text: string): boolean {
  return EMAIL.test(text);
}
