import { eventually } from "../../../support/eventually.ts";

/** Long enough for a very busy machine. */
export const TIMEOUT_SECONDS = 60;

/** Waits like `eventually`, on a machine that may be very busy. */
export function inTime(check: () => void | Promise<void>): Promise<void> {
  return eventually(check, TIMEOUT_SECONDS);
}
