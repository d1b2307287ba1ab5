import { EventStoreError } from "../errors.ts";
import type { Position } from "../events.ts";
import { firstRow, inTransaction, type MirrorDatabase } from "./database.ts";
import type { MirrorModel } from "./mirror_model.ts";

/*
 * The builds of a mirror: tables that are or will be shown by the view with its name. The database has a row about
 * each, which moves in the same transaction as the table. So the rows of a table are always those of its checkpoint.
 */

/** Any number, for the lock under which copies on PostgreSQL begin and show builds one after the other. */
const LOCK = 7_281_305_466;

const CREATE = `CREATE TABLE IF NOT EXISTS eventstore_mirrors (
  table_name TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  version TEXT NOT NULL,
  build INTEGER NOT NULL,
  store_id TEXT NOT NULL,
  sequence BIGINT NOT NULL,
  is_public INTEGER NOT NULL
)`;

const COLUMNS = "table_name, build, store_id, sequence, is_public";

/** A row of `eventstore_mirrors`. Drivers of PostgreSQL return a BIGINT as text. */
interface Row {
  readonly table_name: string;
  readonly build: number;
  readonly store_id: string;
  readonly sequence: number | string;
  readonly is_public: number;
}

/** A table of a mirror. A later build has a higher number. */
export interface Build {
  readonly table: string;
  readonly number: number;
  /** The position up to which events are applied, `undefined` at the beginning. */
  checkpoint: Position | undefined;
  /** True if the view shows it. */
  isPublic: boolean;
}

/** The builds of one mirror. */
export class Builds {
  readonly #database: MirrorDatabase;
  readonly #model: Pick<MirrorModel<never, never>, "name" | "version" | "create">;

  constructor(
    database: MirrorDatabase,
    model: Pick<MirrorModel<never, never>, "name" | "version" | "create">,
  ) {
    this.#database = database;
    this.#model = model;
  }

  /**
   * Returns the build to continue, or begins one.
   * @param previous the build that this process has continued before
   * @param isVoid true if events were applied to it that the store does not have
   * @throws EventStoreError when the view shows a later build of another version
   */
  async open(previous: Build | undefined, isVoid: boolean): Promise<Build> {
    const { name, version } = this.#model;
    return await inTransaction(this.#database, async () => {
      await this.#lock();
      await this.#database.run(CREATE);
      const own = await this.#find("name = ? AND version = ? ORDER BY build DESC", name, version);
      if (own && !(isVoid && own.number === previous!.number)) return own;
      const shown = await this.#find("name = ? AND is_public = 1", name);
      if (!own && previous && shown && shown.number > previous.number) {
        const message = `mirror "${name}": version "${version}" was replaced by ${shown.table}`;
        throw new EventStoreError({ code: "MirrorReplaced", message });
      }
      if (own && !own.isPublic) await this.#drop(own);
      return await this.#begin(!shown);
    });
  }

  /**
   * Moves the checkpoint of a build, inside a transaction.
   * @returns false when another copy has moved it, or has dropped the build
   */
  async move({ table, checkpoint: from }: Build, to: Position): Promise<boolean> {
    const moved = await firstRow(
      this.#database,
      `UPDATE eventstore_mirrors SET store_id = ?, sequence = ?
       WHERE table_name = ? AND store_id = ? AND sequence = ? RETURNING table_name`,
      ...[to.storeId, to.sequence, table, from?.storeId ?? "", from?.sequence ?? 0],
    );
    return moved !== undefined;
  }

  /** Lets the view show this build, and drops all earlier ones, inside a transaction. */
  async show(build: Build): Promise<void> {
    const { name } = this.#model;
    await this.#lock();
    await this.#replaceView(build.table);
    for (;;) {
      const old = await this.#find("name = ? AND build < ?", name, build.number);
      if (!old) break;
      await this.#drop(old);
    }
    const set = "UPDATE eventstore_mirrors SET is_public = 1 WHERE table_name = ? RETURNING table_name";
    await firstRow(this.#database, set, build.table);
  }

  async #begin(isPublic: boolean): Promise<Build> {
    const { name, version, create } = this.#model;
    const newest = await this.#find("name = ? ORDER BY build DESC", name);
    const number = 1 + (newest?.number ?? 0);
    let table = `${name}_${version}`;
    if (await this.#find("table_name = ?", table)) table += `_build_${number}`;
    await this.#database.run(create(table));
    await firstRow(
      this.#database,
      "INSERT INTO eventstore_mirrors VALUES (?, ?, ?, ?, '', 0, ?) RETURNING table_name",
      ...[table, name, version, number, Number(isPublic)],
    );
    if (isPublic) await this.#replaceView(table);
    return { table, number, checkpoint: undefined, isPublic };
  }

  async #find(where: string, ...values: readonly (string | number)[]): Promise<Build | undefined> {
    const sql = `SELECT ${COLUMNS} FROM eventstore_mirrors WHERE ${where} LIMIT 1`;
    const row = await firstRow<Row>(this.#database, sql, ...values);
    return row && {
      table: row.table_name,
      number: Number(row.build),
      checkpoint: row.store_id === "" ? undefined : { storeId: row.store_id, sequence: Number(row.sequence) },
      isPublic: Number(row.is_public) === 1,
    };
  }

  async #drop({ table }: Build): Promise<void> {
    const { run } = this.#database;
    await run.call(this.#database, `DROP TABLE "${table}"`);
    const forget = "DELETE FROM eventstore_mirrors WHERE table_name = ? RETURNING table_name";
    await firstRow(this.#database, forget, table);
  }

  async #replaceView(table: string): Promise<void> {
    const { name } = this.#model;
    const create = `VIEW "${name}" AS SELECT * FROM "${table}"`;
    try {
      if (this.#database.dialect === "sqlite") await this.#recreate(create);
      else await this.#replaceOrRecreate(create);
    } catch (cause) {
      if (this.#database.isPassing?.(cause)) throw cause;
      const { message } = cause as Error;
      throw new Error(`mirror "${name}": cannot create a view with its name: ${message}`, { cause });
    }
  }

  /** A view that is replaced keeps its grants and the views on it. PostgreSQL does it only if no column changes. */
  async #replaceOrRecreate(create: string): Promise<void> {
    await this.#database.run("SAVEPOINT replace_view");
    try {
      await this.#database.run(`CREATE OR REPLACE ${create}`);
    } catch (error) {
      await this.#database.run("ROLLBACK TO SAVEPOINT replace_view");
      if (this.#database.isPassing?.(error)) throw error;
      await this.#recreate(create);
    }
  }

  async #recreate(create: string): Promise<void> {
    await this.#database.run(`DROP VIEW IF EXISTS "${this.#model.name}"`);
    await this.#database.run(`CREATE ${create}`);
  }

  /** On SQLite, the transaction itself is the lock. */
  async #lock(): Promise<void> {
    if (this.#database.dialect === "postgres") {
      await this.#database.run(`SELECT pg_advisory_xact_lock(${LOCK})`);
    }
  }
}
