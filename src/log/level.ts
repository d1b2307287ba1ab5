/** From what only a developer wants to know to what an operator must look at. */
export const LOG_LEVELS = ["debug", "info", "warning", "error"] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];
