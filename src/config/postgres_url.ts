/** The address of a PostgreSQL server, and the user to connect as. */
export interface PostgresAddress {
  readonly server: PostgresServer;
  /** Other servers to try, in order: the primary may change. */
  readonly others?: readonly PostgresServer[];
  /** The kind of server that is acceptable. */
  readonly target?: PostgresTarget;
  readonly user: string;
  readonly password: string | undefined;
  readonly database: string;
}

export type PostgresServer =
  | { readonly transport: "unix"; readonly path: string }
  | {
    readonly transport: "tcp";
    readonly hostname: string;
    readonly port: number;
    readonly tls: PostgresTls | undefined;
  };

/** The values of `target_session_attrs` in PostgreSQL's own programs. */
export const POSTGRES_TARGETS = ["any", "read-write", "primary", "standby", "prefer-standby"] as const;
export type PostgresTarget = (typeof POSTGRES_TARGETS)[number];

export interface PostgresTls {
  /**
   * True when the certificate must name the host. Otherwise any certificate of an authority in the file is accepted.
   */
  readonly verifiesName: boolean;
  /** The file with the only trusted authorities; the runtime's authorities when undefined. */
  readonly authoritiesPath: string | undefined;
}

const PARAMETERS = ["host", "sslmode", "sslrootcert", "target_session_attrs"];
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** The parts of a URL: the text before the hosts, the hosts, and the text after them. */
const HOSTS = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/s;

/**
 * Parses a URL: `postgresql://user:password@host:port/database?sslmode=...&sslrootcert=...`, or with
 * `?host=/directory` for a unix socket. It may name several hosts, `host1:port1,host2:port2`.
 * @returns the address, or what is wrong with the URL, as the end of a sentence without any of its text
 */
export function parsePostgresUrl(text: string): PostgresAddress | { readonly fault: string } {
  const [, before = "", hosts = "", after = ""] = HOSTS.exec(text) ?? [];
  const [first, ...more] = hosts.split(",").map((host) => parseWithOneHost(before + host + after));
  const addresses: PostgresAddress[] = [];
  for (const parsed of [first!, ...more]) {
    if ("fault" in parsed) return parsed;
    addresses.push(parsed);
  }
  if (more.length === 0) return first!;
  return { ...addresses[0]!, others: addresses.slice(1).map(({ server }) => server) };
}

function parseWithOneHost(text: string): PostgresAddress | { readonly fault: string } {
  const url = URL.parse(text);
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol)) return { fault: "must be a postgresql:// URL" };
  const { searchParams: parameters } = url;
  const names = [...parameters.keys()];
  const unknown = names.some((name) => !PARAMETERS.includes(name));
  if (unknown || url.hash !== "") return { fault: `may have the parameters ${PARAMETERS.join(", ")} only` };
  if (new Set(names).size < names.length) return { fault: "may have each parameter once only" };
  const [user, password, database] = [url.username, url.password, url.pathname.slice(1)].map(decoded);
  if (user === undefined || password === undefined || database === undefined) {
    return { fault: "must encode a % as %25" };
  }
  if (user === "") return { fault: "must name a user" };
  if (database === "") return { fault: "must name a database" };
  if ([user, password, database].some((part) => part.includes("\0"))) {
    return { fault: "must not contain NUL" };
  }
  const target = parameters.get("target_session_attrs");
  if (target !== null && !isTarget(target)) {
    return { fault: `must have one of the target_session_attrs ${POSTGRES_TARGETS.join(", ")}` };
  }
  const server = serverOf(url, parameters);
  if ("fault" in server) return server;
  const address = { server, user, password: password === "" ? undefined : password, database };
  return target === null ? address : { ...address, target };
}

function serverOf(url: URL, parameters: URLSearchParams): PostgresServer | { readonly fault: string } {
  const port = url.port === "" ? 5432 : Number(url.port);
  const directory = parameters.get("host");
  if (directory !== null) {
    if (!directory.startsWith("/")) return { fault: "may have a directory as its host parameter only" };
    const tls = tlsOf(parameters, "disable");
    if (tls === undefined) return { transport: "unix", path: `${directory}/.s.PGSQL.${port}` };
    return "fault" in tls ? tls : { fault: "cannot ask for TLS on a unix socket" };
  }
  if (url.hostname === "") return { fault: "must name a host" };
  const hostname = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const tls = tlsOf(parameters, LOOPBACK.test(url.hostname) ? "disable" : "verify-full");
  if (tls !== undefined && "fault" in tls) return tls;
  return { transport: "tcp", hostname, port, tls };
}

function tlsOf(
  parameters: URLSearchParams,
  usual: "disable" | "verify-full",
): PostgresTls | undefined | { readonly fault: string } {
  const authoritiesPath = parameters.get("sslrootcert") ?? undefined;
  if (authoritiesPath === "") return { fault: "must name a file as its sslrootcert" };
  switch (parameters.get("sslmode") ?? usual) {
    case "disable":
      if (authoritiesPath === undefined) return undefined;
      return { fault: "has an sslrootcert, but no TLS: sslmode=verify-full is needed" };
    case "verify-ca":
      // Without it, a server with any certificate of any public authority would be accepted.
      if (authoritiesPath === undefined) return { fault: "needs an sslrootcert for sslmode=verify-ca" };
      return { verifiesName: false, authoritiesPath };
    case "verify-full":
      return { verifiesName: true, authoritiesPath };
    default:
      return { fault: "must have one of the sslmodes disable, verify-ca and verify-full" };
  }
}

function isTarget(text: string): text is PostgresTarget {
  return (POSTGRES_TARGETS as readonly string[]).includes(text);
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

/** Returns the address for messages, without the password. */
export function postgresAddressText({ server, others = [], user, database }: PostgresAddress): string {
  const where = [server, ...others].map(postgresServerText).join(", ");
  return `database ${database} at ${where} as ${user}`;
}

export function postgresServerText(server: PostgresServer): string {
  return server.transport === "unix" ? server.path : `${server.hostname}:${server.port}`;
}
