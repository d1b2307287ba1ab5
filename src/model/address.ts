/** Where a server listens. */
export type Address = UnixAddress | TcpAddress;

export interface UnixAddress {
  readonly transport: "unix";
  readonly path: string;
}

export interface TcpAddress {
  readonly transport: "tcp";
  readonly hostname: string;
  readonly port: number;
}

/** As a person would write it. */
export function addressText(address: Address): string {
  if (address.transport === "unix") return address.path;
  const host = address.hostname.includes(":") ? `[${address.hostname}]` : address.hostname;
  return `http://${host}:${address.port}`;
}

/** Whether a host as written, an IPv6 address with or without brackets, can only mean this machine. */
export function isLoopback(host: string): boolean {
  const written = host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
  // The parser of URLs knows every way to write an address, and ends up with one.
  const name = URL.parse(`http://${written}/`)?.hostname ?? "";
  return name === "localhost" || /^(127(\.\d+){3}|\[::1\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]+\])$/.test(name);
}
