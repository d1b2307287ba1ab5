const OWNER = "eventstore_owner";

/** The role of a server in PostgreSQL, so that its connections can be distinguished from others. */
export function roleOf(server: number): string {
  return `server_${server}`;
}

/** Returns the SQL that creates the roles of all servers. One owner has the rights of all. */
export function rolesFor(servers: number): string[] {
  const roles = Array.from({ length: servers }, (_, i) => [
    `CREATE ROLE ${roleOf(i)} LOGIN IN ROLE ${OWNER}`,
    `ALTER ROLE ${roleOf(i)} SET role = '${OWNER}'`,
  ]);
  return [
    `CREATE ROLE ${OWNER}`,
    `GRANT CREATE ON DATABASE postgres TO ${OWNER}`,
    // A standby sees and ends the session of an active server that is silent. Usually both have the same role.
    `GRANT pg_signal_backend, pg_read_all_stats TO ${OWNER}`,
    ...roles.flat(),
  ];
}
