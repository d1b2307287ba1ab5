import { createHash } from "node:crypto";

/** True when the servers of the tests store their events in PostgreSQL: see the task `test-postgres`. */
export function testsPostgres(): boolean {
  return Deno.env.get("EVENTSTORE_TEST_STORAGE") === "postgres";
}

/** Registers a test of something that only the storage in a file does. */
export function sqliteTest(name: string, test: () => void | Promise<void>): void {
  if (!testsPostgres()) return Deno.test(name, test);
  Deno.test({ name: `${name} (ignored: it is about the file of SQLite)`, ignore: true, fn: test });
}

/** Variables that give a server the storage under test. Each data directory has its own schema. */
export function storageVariables(
  dataDir: string,
  env: Readonly<Record<string, string>> = {},
): Record<string, string> {
  if (!testsPostgres()) return {};
  const poolSize = env["SERVICE_READ_POOL_SIZE"];
  return {
    // An invalid size is already rejected as readPoolSize.
    ...!/^\d+$/.test(poolSize ?? "") ? {} : { SERVICE_POSTGRES_POOL_SIZE: poolSize! },
    SERVICE_STORAGE: "postgres",
    SERVICE_POSTGRES_URL: Deno.env.get("EVENTSTORE_TEST_POSTGRES_URL")!,
    SERVICE_POSTGRES_SCHEMA: schemaOf(dataDir),
  };
}

/** The schema of a server with this data directory. */
export function schemaOf(dataDir: string): string {
  return `test_${createHash("sha256").update(dataDir).digest("hex").slice(0, 16)}`;
}
