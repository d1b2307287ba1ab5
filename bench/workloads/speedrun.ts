import { Connections } from "../../client/connections/mod.ts";
import { type DecisionModel, EventStore, type EventStoreOptions } from "../../client/mod.ts";
import { type Address, Connection, requestBytes, textOf } from "../connection.ts";
import { measureClients, type Round, type Timing } from "../measure.ts";
import { storeIdOf } from "./one_event.ts";

const CLIENTS = 16;
const COURSES = 50;
const STUDENTS = 400;
const SEATS_PER_COURSE = 30;
const COURSES_PER_STUDENT = 5;
/** Then a term with new courses and students begins, before too many courses are full. */
const DECISIONS_PER_TERM = 2000;

/**
 * 16 clients that subscribe students to courses. A decision reads the events of the course and of the student. If
 * there is a seat, and the student is not too busy, it writes one more event. The condition: no such event was
 * committed since the read. On a conflict it decides again. A step is the whole decision.
 */
export async function speedrun(address: Address, timing: Timing, count = CLIENTS): Promise<Round> {
  using connections = new DisposableStack();
  const storeId = await storeIdOf(address);
  const school = new School(timing);
  const clients = [];
  for (let client = 0; client < count; client++) {
    const connection = connections.use(await Connection.open(address));
    clients.push(() => decide(connection, storeId, school));
  }
  return { ...await measureClients(clients, timing), conflicts: school.conflicts };
}

/** The same decisions with the client library over `fetch`: one store, and this many concurrent callers. */
export async function speedrunOfClient(address: Address, timing: Timing, callers: number): Promise<Round> {
  return await speedrunOf({ url: urlOf(address) }, timing, callers);
}

/** The same over connections that are kept. */
export async function speedrunOverConnections(
  address: Address,
  timing: Timing,
  callers: number,
): Promise<Round> {
  const connections = new Connections({ url: urlOf(address) });
  try {
    return await speedrunOf({ transport: connections }, timing, callers);
  } finally {
    connections.close();
  }
}

function urlOf(address: Address): string {
  if (address.transport === "unix") throw new Error("this is measured over TCP");
  return `http://${address.hostname}:${address.port}`;
}

async function speedrunOf(options: EventStoreOptions, timing: Timing, callers: number): Promise<Round> {
  const store = new EventStore<Events>(options);
  const school = new School(timing);
  const steps = Array.from({ length: callers }, () => () => decideWith(store, school));
  return { ...await measureClients(steps, timing), conflicts: school.conflicts };
}

interface Events {
  StudentSubscribed: Record<string, never>;
}

/** @returns the number of events that it wrote */
async function decideWith(store: EventStore<Events>, school: School): Promise<number> {
  const wanted = school.next();
  const subscriptions = (tags: Partial<Subscription>): DecisionModel<Events, readonly Subscription[]> => ({
    query: { types: ["StudentSubscribed"], identifiers: tags },
    initial: [],
    apply: (found, { identifiers }) => [...found, identifiers as unknown as Subscription],
  });
  let attempts = 0;
  const { events } = await store.decide(
    {
      inCourse: subscriptions({ course: wanted.course }),
      ofStudent: subscriptions({ student: wanted.student }),
    },
    ({ inCourse, ofStudent }) => {
      if (attempts++ > 0) school.conflict();
      const found = [...inCourse, ...ofStudent].map((identifiers) => ({ identifiers }));
      if (!isPossible(wanted, found)) return;
      return { type: "StudentSubscribed", identifiers: { ...wanted }, payload: {} };
    },
    { attempts: 1000 },
  );
  return events.length;
}

interface Subscription {
  readonly course: string;
  readonly student: string;
}

/** Chooses a student and a course, and counts the conflicts in the measured time. */
class School {
  readonly #run = crypto.randomUUID();
  readonly #from: number;
  readonly #to: number;
  #decisions = 0;
  conflicts = 0;

  constructor({ warmUpSeconds, seconds }: Timing) {
    this.#from = performance.now() + warmUpSeconds * 1000;
    this.#to = this.#from + seconds * 1000;
  }

  next(): Subscription {
    const term = `${this.#run}-${Math.floor(this.#decisions++ / DECISIONS_PER_TERM)}`;
    return { course: `${term}-${below(COURSES)}`, student: `${term}-${below(STUDENTS)}` };
  }

  conflict(): void {
    const now = performance.now();
    if (now >= this.#from && now < this.#to) this.conflicts++;
  }
}

/** @returns the number of events that it wrote */
async function decide(connection: Connection, storeId: string, school: School): Promise<number> {
  const wanted = school.next();
  const query =
    `[{"types":["StudentSubscribed"],"identifiers":[{"name":"course","value":"${wanted.course}"}]},` +
    `{"types":["StudentSubscribed"],"identifiers":[{"name":"student","value":"${wanted.student}"}]}]`;
  while (true) {
    const read = await connection.request(requestBytes("QUERY", "/events", `{"query":${query}}`));
    const text = textOf(read);
    if (read.status !== 200) throw new Error(`a read of the speedrun was answered ${read.status}: ${text}`);
    const found = text.split("\n").slice(0, -2).map((line) => JSON.parse(line) as FoundEvent);
    if (!isPossible(wanted, found)) return 0;
    const body =
      `{"conditions":[{"failIfEventsMatch":${query},"afterSequence":${found.at(-1)?.sequence ?? 0},` +
      `"store":"${storeId}"}],"events":[{"type":"StudentSubscribed","identifiers":{"course":"${wanted.course}",` +
      `"student":"${wanted.student}"},"metadata":{},"payload":"{}"}]}`;
    const written = await connection.request(requestBytes("POST", "/write", body));
    if (written.status === 200) return 1;
    if (written.status !== 409) {
      throw new Error(`a decision was answered ${written.status}: ${textOf(written)}`);
    }
    school.conflict();
  }
}

interface FoundEvent {
  readonly sequence: number;
  readonly identifiers: Subscription;
}

/** The rules, applied to the existing events. */
function isPossible(
  { course, student }: Subscription,
  found: readonly Pick<FoundEvent, "identifiers">[],
): boolean {
  const inCourse = found.filter(({ identifiers }) => identifiers.course === course);
  const ofStudent = found.filter(({ identifiers }) => identifiers.student === student);
  return inCourse.length < SEATS_PER_COURSE && ofStudent.length < COURSES_PER_STUDENT &&
    !inCourse.some(({ identifiers }) => identifiers.student === student);
}

function below(limit: number): number {
  return Math.floor(Math.random() * limit);
}
