import type { ProjectionReplace } from "../../model/projection.ts";

/** The first characters of a line with a projection. No event's line starts like this. */
const START = '{"projection":';

const KEYS = ["type", "id", "version", "payload"] as const;

const decoder = new TextDecoder();

/** Returns the line of a projection in an export. */
export function projectionLine({ type, id, version, payload }: ProjectionReplace): string {
  return `${JSON.stringify({ projection: { type, id, version, payload } })}\n`;
}

export function isProjectionLine(line: Uint8Array): boolean {
  return decoder.decode(line.subarray(0, START.length)) === START;
}

/** @throws Error when the line is not one that `projectionLine` writes */
export function decodeProjectionLine(line: Uint8Array): ProjectionReplace {
  const { projection } = JSON.parse(decoder.decode(line));
  for (const key of KEYS) {
    if (typeof projection?.[key] !== "string") throw new Error(`projection: ${key} is missing`);
  }
  return projection;
}
