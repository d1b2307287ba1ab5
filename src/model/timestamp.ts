/** The last second that was formatted. Events lie close together, and formatting a date costs most of a line. */
let lastSecond = -1;
let lastSecondText = "";

/**
 * Formats a moment as RFC 3339 in UTC with exactly six fractional digits and the suffix `Z`.
 * @param micros microseconds since 1970-01-01T00:00:00Z, a whole number
 */
export function formatTimestamp(micros: number): string {
  const second = Math.floor(micros / 1_000_000);
  if (second !== lastSecond) {
    lastSecondText = new Date(second * 1000).toISOString().slice(0, "2026-11-20T12:34:56.".length);
    lastSecond = second;
  }
  return `${lastSecondText}${String(micros - second * 1_000_000).padStart(6, "0")}Z`;
}
