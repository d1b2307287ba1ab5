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
