import type { Client } from "../../tests/support/client.ts";
import { type ServerProcess, startServer } from "../../tests/support/server_process.ts";
import type { EditionName } from "../../src/config/setting.ts";
import { DisturbedConnection } from "./disturbed_connection.ts";
import { roleOf } from "./roles.ts";

export interface ServerLocation {
  readonly edition: EditionName;
  /** Its number among the servers of the store. */
  readonly number: number;
  readonly schema: string;
  /** A port, or a function that finds it for a new connection. */
  readonly postgresPort: number | (() => Promise<number>);
  /** The setting `subjects`. None by default. */
  readonly subjects?: string;
}

/** One of the servers of a store, with its connections to PostgreSQL. */
export class StoreServer implements AsyncDisposable {
  readonly role: string;
  readonly connection: DisturbedConnection;
  readonly process: ServerProcess;
  /** True when clients may expect answers: the server was not killed, stopped or frozen. */
  isExpected = true;

  private constructor(role: string, connection: DisturbedConnection, process: ServerProcess) {
    this.role = role;
    this.connection = connection;
    this.process = process;
  }

  static async start(
    { edition, number, schema, postgresPort, subjects = "" }: ServerLocation,
  ): Promise<StoreServer> {
    const role = roleOf(number);
    const connection = new DisturbedConnection(postgresPort);
    try {
      const process = await startServer({
        listen: "unix",
        listenOnly: true,
        env: {
          SERVICE_EDITION: edition,
          SERVICE_DEV_MODE: "true",
          SERVICE_STORAGE: "postgres",
          SERVICE_POSTGRES_URL: `postgresql://${role}@127.0.0.1:${connection.port}/postgres`,
          SERVICE_POSTGRES_SCHEMA: schema,
          SERVICE_POSTGRES_POOL_SIZE: "4",
          ...subjects === "" ? {} : { SERVICE_SUBJECTS: subjects },
        },
      });
      return new StoreServer(role, connection, process);
    } catch (error) {
      await connection[Symbol.asyncDispose]();
      throw error;
    }
  }

  get client(): Client {
    return this.process.client();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A frozen server would not end otherwise.
    this.process.signal("SIGCONT");
    await this.process[Symbol.asyncDispose]();
    await this.connection[Symbol.asyncDispose]();
  }
}
