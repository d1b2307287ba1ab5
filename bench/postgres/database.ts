import { initPostgresStore } from "../../src/store/postgres/connection/create_store.ts";
import { textIn } from "../../src/store/postgres/protocol/cells.ts";
import type { ImportBatch } from "../../src/store/core/import_batch.ts";
import { prepareEvent } from "../../src/store/core/prepare_event.ts";
import { PostgresCluster } from "../../tests/system/postgres/support/cluster.ts";
import { debianProgram } from "../../tests/system/support/debian_program.ts";
import { EVENTS_PER_TURN } from "../fill_store.ts";
import { SampleEvents } from "../sample_events.ts";

/** The schema of every store. Each store has its own database. */
const SCHEMA = "eventstore";

/**
 * Starts a PostgreSQL of Debian for measurements, with its defaults: commits are durable.
 * @param parent the parent of its directory, which its unprivileged user must be able to enter
 */
export async function startDatabase(parent: string | undefined): Promise<PostgresCluster> {
  const programs = { postgres: await debianProgram("postgres"), initdb: await debianProgram("initdb") };
  return await PostgresCluster.start(programs, { parent, settings: { fsync: "on" } });
}

/** A description of the database, for the head of a report. */
export async function databaseText(cluster: PostgresCluster): Promise<string> {
  const [row] = await cluster.sql("SELECT split_part(current_setting('server_version'), ' ', 1)");
  return `PostgreSQL ${textIn(row![0])} on this machine, with its defaults`;
}

/** Settings of a server with its store in a database. */
export function databaseSettings(cluster: PostgresCluster, database: string): Record<string, string> {
  return { SERVICE_STORAGE: "postgres", SERVICE_POSTGRES_URL: cluster.url(undefined, database) };
}

/** Creates a database whose store has this many sample events, the same as `fillStore` writes into a file. */
export async function fillDatabase(
  cluster: PostgresCluster,
  name: string,
  storeEvents: number,
): Promise<void> {
  await cluster.sql(`CREATE DATABASE ${name} TEMPLATE template0`);
  const place = { address: cluster.address(undefined, name), schema: SCHEMA };
  await initPostgresStore(place, sampleBatches(storeEvents));
}

function* sampleBatches(storeEvents: number): Generator<ImportBatch> {
  const sample = new SampleEvents(storeEvents, 1);
  for (let left = storeEvents; left > 0; left -= EVENTS_PER_TURN) {
    const events = sample.events(Math.min(left, EVENTS_PER_TURN));
    yield { events: events.map((event) => prepareEvent(event, Date.now() * 1000)), projections: [] };
  }
}

/** Copies a database, which must have no connections. */
export async function copyDatabase(cluster: PostgresCluster, from: string, to: string): Promise<void> {
  await cluster.sql(`CREATE DATABASE ${to} TEMPLATE ${from}`);
}
