/** Runs statements in the PostgreSQL under test, in one transaction. @returns what they select, as text */
export function psql(sql: string): string {
  const { success, stdout, stderr } = new Deno.Command(PSQL, { args: argsFor(sql), env: ENV }).outputSync();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return new TextDecoder().decode(stdout).trim();
}

/** Starts statements that take long, without waiting for their end. */
export function psqlBeside(sql: string): void {
  const script = '"$0" "$@" > /dev/null 2>&1 &';
  new Deno.Command("sh", { args: ["-c", script, PSQL, ...argsFor(sql)], env: ENV }).outputSync();
}

const PSQL = Deno.env.get("EVENTSTORE_TEST_PSQL") ?? "psql";
/** The path of its libraries, when it is not installed. */
const ENV: Record<string, string> = JSON.parse(Deno.env.get("EVENTSTORE_TEST_PSQL_ENV") ?? "{}");

function argsFor(sql: string): string[] {
  return [Deno.env.get("EVENTSTORE_TEST_POSTGRES_URL") ?? "", "-qAtX", "-v", "ON_ERROR_STOP=1", "-c", sql];
}
