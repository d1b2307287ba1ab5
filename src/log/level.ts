/** The levels, from developers' details to messages that an operator must act on. */
export const LOG_LEVELS = ["debug", "info", "warning", "error"] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];
