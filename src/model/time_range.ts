/** The moments `fromMicros <= time < beforeMicros`, in microseconds since 1970. */
export interface TimeRange {
  readonly fromMicros: number;
  readonly beforeMicros: number;
}

export function isInTimeRange({ fromMicros, beforeMicros }: TimeRange, timeMicros: number): boolean {
  return fromMicros <= timeMicros && timeMicros < beforeMicros;
}
