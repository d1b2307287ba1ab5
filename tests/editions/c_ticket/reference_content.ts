import { type CallName, DONE, INVALID, type Outcome } from "./calls.ts";

/** The state that the sender of a call knows. */
export interface View {
  readonly head: number;
  /** The version of the projection; 0 when there is none. */
  readonly version: number;
}

export interface Projection {
  readonly version: number;
  readonly payload: string;
}

/** The content of the store as a transaction sees and changes it. */
export interface Content {
  readonly store: number;
  readonly events: string[];
  projection: Projection | undefined;
}

const CONFLICT: Outcome = { status: 409, error: "ConcurrencyException" };

/** Applies one call to the content. @returns its answer */
export function runInside(
  content: Content,
  call: CallName,
  view: View,
  payload: string,
  newVersion: () => number,
): Outcome {
  const { store, events, projection } = content;
  const change = (list: "create" | "replace"): Outcome => {
    content.projection = { version: newVersion(), payload };
    return { status: 200, found: { [list]: content.projection.version } };
  };
  const append = (payloads: readonly string[]): Outcome => {
    const sequences = payloads.map((_, i) => events.length + 1 + i);
    events.push(...payloads);
    return { status: 200, found: sequences };
  };
  const isAtVersion = projection !== undefined && projection.version === view.version;
  switch (call) {
    case "read":
      return { status: 200, found: { store, lines: linesOf(content) } };
    case "get":
      return projection === undefined
        ? { status: 404, error: "ProjectionNotFound", found: { store } }
        : { status: 200, found: { store, ...projection } };
    case "append":
    case "sendHalf":
      return append([payload]);
    case "appendHolding":
      return events.length > view.head ? CONFLICT : append([payload]);
    case "appendFailing":
      return events.length > 0 ? CONFLICT : append([payload]);
    case "appendNothing":
      return append([]);
    case "appendMalformed":
      return INVALID;
    case "create":
      return projection === undefined
        ? change("create")
        : { ...CONFLICT, message: "create[0] already exists" };
    case "replace":
      return isAtVersion ? change("replace") : otherVersion("replace[0]");
    case "replaceStale":
      return otherVersion("replace[0]");
    case "delete":
      if (!isAtVersion) return otherVersion("delete[0]");
      content.projection = undefined;
      return { status: 200, found: {} };
    default:
      return DONE;
  }
}

function otherVersion(entry: string): Outcome {
  return { ...CONFLICT, message: `${entry} no longer has the given version` };
}

/** Returns sequence and payload of each event as text. */
export function linesOf({ events }: Content): string[] {
  return events.map((payload, i) => `${i + 1}: ${payload}`);
}
