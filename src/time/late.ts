/** A timer so much behind was held up by other work of the process. What arrived in time may still be unread. */
export const LATE_MILLISECONDS = 20;
