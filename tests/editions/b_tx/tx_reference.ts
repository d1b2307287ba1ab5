/*
 * A model of a transaction of edition B, written from the document. It stores the list of all steps and computes
 * every answer from this list anew.
 */

export const CALLS = [
  "begin",
  "read",
  "readNone",
  "write",
  "writeNothing",
  "getPresent",
  "getMissing",
  "createPresent",
  "createMissing",
  "replacePresent",
  "replaceMissing",
  "deletePresent",
  "deleteMissing",
  "commit",
  "abandon",
  "outside",
] as const;

/**
 * One call of a sequence. There are two projections: "Present" is in the store at first, "Missing" is not. "outside"
 * is another client that writes a matching event and changes both projections.
 */
export type CallName = (typeof CALLS)[number];

export interface Outcome {
  readonly status: number;
  readonly error?: string;
  /** Set for conflicts only. The messages of broken rules are not compared. */
  readonly message?: string;
  /** The payload that a read returned, or the payloads of events. Own events have a + in front. */
  readonly found?: string | readonly string[];
}

type Kind = "get" | "create" | "replace" | "delete";
type Which = "Present" | "Missing";

type Step =
  | { readonly kind: "read"; readonly all: boolean; readonly head: number }
  | { readonly kind: "write"; readonly payloads: readonly string[] }
  | { readonly kind: Kind; readonly which: Which; readonly version: number; readonly payload: string };
type ProjectionStep = Extract<Step, { which: Which }>;

const MISSING = 0;
const ENDED: Outcome = { status: 404, error: "TransactionNotFound" };
const BROKEN: Outcome = { status: 400, error: "InvalidRequest" };

/** The payload that the call at this index of a sequence writes. */
export function payloadOf(place: number): string {
  return `payload ${place}`;
}

export class ReferenceWorld {
  readonly #events: string[] = ["first"];
  readonly #stored = new Map<Which, { version: number; payload: string }>([
    ["Present", { version: 1, payload: "stored" }],
  ]);
  #versions = 1;
  #steps: Step[] | undefined;

  get transactionIsOpen(): boolean {
    return this.#steps !== undefined;
  }

  /** The content of the store: the payloads of the events and of the two projections. */
  get content(): { events: readonly string[]; present: string | undefined; missing: string | undefined } {
    return {
      events: [...this.#events],
      present: this.#stored.get("Present")?.payload,
      missing: this.#stored.get("Missing")?.payload,
    };
  }

  perform(call: CallName, place: number): Outcome {
    if (call === "begin") {
      this.#steps = [];
      return { status: 200 };
    }
    if (call === "outside") return this.#outside(payloadOf(place));
    if (call === "abandon") {
      this.#steps = undefined;
      return { status: 204 };
    }
    const steps = this.#steps;
    if (steps === undefined) return ENDED;
    const outcome = this.#perform(steps, call, payloadOf(place));
    const goesOn = outcome.status === 200 || outcome.error === "ProjectionNotFound";
    if (!goesOn) this.#steps = undefined;
    return outcome;
  }

  #outside(payload: string): Outcome {
    this.#events.push(payload);
    for (const which of ["Present", "Missing"] as const) this.#store(which, payload);
    return { status: 200 };
  }

  #store(which: Which, payload: string): void {
    this.#stored.set(which, { version: ++this.#versions, payload });
  }

  #perform(
    steps: Step[],
    call: Exclude<CallName, "begin" | "outside" | "abandon">,
    payload: string,
  ): Outcome {
    const conditionIsOpen = steps.at(-1)?.kind === "read";
    const isWrite = call === "write" || call === "writeNothing";
    if (conditionIsOpen !== isWrite) {
      if (conditionIsOpen || isWrite) return BROKEN;
    }
    switch (call) {
      case "read":
      case "readNone":
        return this.#read(steps, call === "read");
      case "write":
      case "writeNothing":
        steps.push({ kind: "write", payloads: call === "write" ? [payload] : [] });
        return { status: 200 };
      case "commit":
        return this.#commit(steps);
    }
    const [, kind, which] = /^([a-z]+)(Present|Missing)$/.exec(call)! as unknown as [string, Kind, Which];
    return kind === "get" ? this.#get(steps, which) : change(steps, kind, which, payload);
  }

  #read(steps: Step[], all: boolean): Outcome {
    steps.push({ kind: "read", all, head: this.#events.length });
    const own = steps.flatMap((step) => step.kind === "write" ? step.payloads : []);
    return { status: 200, found: all ? [...this.#events, ...own.map((payload) => `+${payload}`)] : [] };
  }

  #get(steps: Step[], which: Which): Outcome {
    const changed = changesOf(steps, which).at(-1);
    if (changed === undefined) {
      const stored = this.#stored.get(which);
      steps.push({ kind: "get", which, version: stored?.version ?? MISSING, payload: "" });
      return stored === undefined ? notFound() : { status: 200, found: stored.payload };
    }
    return changed.kind === "delete" ? notFound() : { status: 200, found: changed.payload };
  }

  #commit(steps: readonly Step[]): Outcome {
    const payloads = steps.flatMap((step) => step.kind === "write" ? step.payloads : []);
    const changes = netChanges(steps);
    if (payloads.length + changes.length === 0) return { status: 204 };
    const reads = steps.filter((step) => step.kind === "read");
    const broken = reads.findIndex(({ all, head }) => all && this.#events.length > head);
    if (broken >= 0) return conflict(`conditions[${broken}] no longer holds`);
    for (const { which, read } of changes) {
      const version = this.#stored.get(which)?.version ?? MISSING;
      const name = `projection ${which}`;
      if (version === (read ?? MISSING)) continue;
      if (read === undefined) return conflict(`${name} already exists`);
      if (read !== MISSING) return conflict(`${name} no longer has the version read`);
      return conflict(`${name} was created by another write since it was read`);
    }
    this.#events.push(...payloads);
    for (const { which, payload } of changes) {
      if (payload === undefined) this.#stored.delete(which);
      else this.#store(which, payload);
    }
    return { status: 204 };
  }
}

function notFound(): Outcome {
  return { status: 404, error: "ProjectionNotFound" };
}

function conflict(message: string): Outcome {
  return { status: 409, error: "ConcurrencyException", message };
}

function stepsOn(steps: readonly Step[], which: Which): ProjectionStep[] {
  return steps.filter((step) => "which" in step && step.which === which) as ProjectionStep[];
}

function changesOf(steps: readonly Step[], which: Which): ProjectionStep[] {
  return stepsOn(steps, which).filter((step) => step.kind !== "get");
}

/** Returns true when the projection exists for the transaction; undefined when the transaction does not know. */
function isThere(steps: readonly Step[], which: Which): boolean | undefined {
  const last = changesOf(steps, which).at(-1) ?? stepsOn(steps, which).at(-1);
  if (last === undefined) return undefined;
  return last.kind === "get" ? last.version !== MISSING : last.kind !== "delete";
}

function change(steps: Step[], kind: Exclude<Kind, "get">, which: Which, payload: string): Outcome {
  const there = isThere(steps, which);
  const isLegal = { create: there !== true, replace: there === true, delete: there !== undefined }[kind];
  if (!isLegal) return BROKEN;
  const doesNothing = kind === "delete" && there === false;
  if (!doesNothing) steps.push({ kind, which, version: MISSING, payload });
  return { status: 200 };
}

interface NetChange {
  readonly which: Which;
  /** The version that the transaction read, or `MISSING`; undefined when it did not read the projection. */
  readonly read: number | undefined;
  /** The new payload; undefined for a deletion. */
  readonly payload: string | undefined;
}

/** The changes of projections that the commit makes: first creates, then replaces, then deletes. */
function netChanges(steps: readonly Step[]): NetChange[] {
  const named = new Set(steps.flatMap((step) => "which" in step ? [step.which] : []));
  const changes = [...named].flatMap((which): NetChange[] => {
    const last = changesOf(steps, which).at(-1);
    if (last === undefined) return [];
    const read = stepsOn(steps, which).findLast((step) => step.kind === "get")?.version;
    if (last.kind !== "delete") return [{ which, read, payload: last.payload }];
    return read === undefined || read === MISSING ? [] : [{ which, read, payload: undefined }];
  });
  const rank = ({ read, payload }: NetChange): number =>
    read === undefined || read === MISSING ? 0 : payload === undefined ? 2 : 1;
  return changes.toSorted((a, b) => rank(a) - rank(b));
}
