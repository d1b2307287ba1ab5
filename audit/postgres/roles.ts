const OWNER = "eventstore_owner";

/** As whom a server talks to PostgreSQL, so that its connections can be told from those of others. */
export function roleOf(server: number): string {
  return `server_${server}`;
}

/** Makes the roles of so many servers; one owner has the rights of all. */
export function rolesFor(servers: number): string[] {
  const roles = Array.from({ length: servers }, (_, i) => [
    `CREATE ROLE ${roleOf(i)} LOGIN IN ROLE ${OWNER}`,
    `ALTER ROLE ${roleOf(i)} SET role = '${OWNER}'`,
  ]);
  return [
    `CREATE ROLE ${OWNER}`,
    `GRANT CREATE ON DATABASE postgres TO ${OWNER}`,
    // A standby sees and ends the session of an active server that is silent; usually both have the same role.
    `GRANT pg_signal_backend, pg_read_all_stats TO ${OWNER}`,
    ...roles.flat(),
  ];
}
