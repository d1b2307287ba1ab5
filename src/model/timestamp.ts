/*
 * The last second that was formatted, and the last day. Formatting a date takes most of the time for a line. Events of
 * a page often share the second, or at least the day.
 */
let lastSecond = NaN;
let lastSecondText = "";
let lastDay = NaN;
let lastDayText = "";

const SECONDS_PER_DAY = 86_400;

/**
 * Formats a moment as RFC 3339 in UTC with exactly six fractional digits and the suffix `Z`.
 * @param micros microseconds since 1970-01-01T00:00:00Z, a whole number
 */
export function formatTimestamp(micros: number): string {
  const second = Math.floor(micros / 1_000_000);
  if (second !== lastSecond) {
    lastSecond = second;
    lastSecondText = secondText(second);
  }
  return `${lastSecondText}.${String(micros - second * 1_000_000).padStart(6, "0")}Z`;
}

/** `2026-11-20T12:34:56` */
function secondText(second: number): string {
  const day = Math.floor(second / SECONDS_PER_DAY);
  if (day !== lastDay) {
    lastDay = day;
    lastDayText = new Date(day * SECONDS_PER_DAY * 1000).toISOString().slice(0, "2026-11-20".length);
  }
  const ofDay = second - day * SECONDS_PER_DAY;
  const minutes = Math.floor(ofDay / 60);
  return `${lastDayText}T${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}:${
    twoDigits(ofDay % 60)
  }`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, "0");
}

const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

/**
 * Parses an RFC 3339 date and time with any offset.
 * @returns microseconds since 1970-01-01T00:00:00Z, rounded up, or undefined when the text is not one. A bigint,
 *   since RFC 3339 years exceed the safe integers in microseconds
 */
export function parseTimestamp(text: string): bigint | undefined {
  const match = RFC_3339.exec(text);
  if (match === null) return undefined;
  const part = (group: number): number => Number(match[group] ?? "0");
  const [year, month, day, hour, minute, second] = [1, 2, 3, 4, 5, 6].map(part) as Six;
  const [offsetHours, offsetMinutes] = [part(9), part(10)];
  // 60 is a leap second.
  if (hour > 23 || minute > 59 || second > 60 || offsetHours > 23 || offsetMinutes > 59) return undefined;
  const midnight = new Date(0);
  // `Date.UTC` would take the years below 100 for those of the last century.
  midnight.setUTCFullYear(year, month - 1, day);
  if (midnight.getUTCMonth() !== month - 1 || midnight.getUTCDate() !== day) return undefined;
  const offsetSeconds = (match[8] === "-" ? -60 : 60) * (offsetHours * 60 + offsetMinutes);
  const seconds = midnight.getTime() / 1000 + (hour * 60 + minute) * 60 + second - offsetSeconds;
  const fraction = (match[7] ?? "").padEnd(6, "0");
  const beyond = /[1-9]/.test(fraction.slice(6)) ? 1n : 0n;
  return BigInt(seconds) * 1_000_000n + BigInt(fraction.slice(0, 6)) + beyond;
}

type Six = [number, number, number, number, number, number];
