/** Formats numbers and times for people, with one width in columns. */

const WHOLE = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });

export function wholeText(number: number): string {
  return WHOLE.format(number);
}

/** Such as 1,234 or 0.42: three significant digits. */
export function numberText(number: number): string {
  if (!Number.isFinite(number)) return "-";
  if (Math.abs(number) >= 100 || Number.isInteger(number)) return wholeText(number);
  return String(Number(number.toPrecision(3)));
}

export function bytesText(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  while (bytes >= 1000 && unit < units.length - 1) {
    bytes /= 1000;
    unit++;
  }
  return `${numberText(unit === 0 ? bytes : Number(bytes.toPrecision(3)))} ${units[unit]}`;
}

/** Such as 240 \u00b5s, 1.2 ms, 3.4 s, 5 min 12 s. */
export function durationText(seconds: number): string {
  if (!Number.isFinite(seconds)) return "-";
  if (seconds === 0) return "0 s";
  if (seconds < 0.001) return `${numberText(Math.round(seconds * 1e6))} \u00b5s`;
  if (seconds < 1) return `${numberText(Number((seconds * 1000).toPrecision(3)))} ms`;
  if (seconds < 60) return `${numberText(Number(seconds.toPrecision(3)))} s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  if (whole < 86_400) return `${Math.floor(whole / 3600)} h ${Math.floor(whole % 3600 / 60)} min`;
  return `${Math.floor(whole / 86_400)} d ${Math.floor(whole % 86_400 / 3600)} h`;
}

/** The time of the browser's own zone, down to the millisecond: 2026-11-22 13:08:51.477. */
export function timeText(time: string): { readonly date: string; readonly clock: string } {
  return partsOf(new Date(time));
}

export function partsOf(date: Date): { readonly date: string; readonly clock: string } {
  if (Number.isNaN(date.getTime())) return { date: "", clock: "" };
  const two = (number: number): string => String(number).padStart(2, "0");
  return {
    date: `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`,
    clock: `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.` +
      String(date.getMilliseconds()).padStart(3, "0"),
  };
}
