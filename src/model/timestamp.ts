/**
 * Formats a moment as RFC 3339 in UTC with exactly six fractional digits and the suffix `Z`.
 * @param micros microseconds since 1970-01-01T00:00:00Z
 */
export function formatTimestamp(micros: number): string {
  const millis = Math.floor(micros / 1000);
  const rest = micros - millis * 1000;
  // toISOString ends in `.mmmZ`; the microseconds go between the two.
  return new Date(millis).toISOString().slice(0, -1) + String(rest).padStart(3, "0") + "Z";
}
