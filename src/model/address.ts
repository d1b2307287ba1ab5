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

/** Whether it may be an IP address, of version 6 with or without brackets, or the name of a host. */
export function isHost(text: string): boolean {
  if (text.includes(":")) {
    // An address of one link has the name of its interface behind it, which no URL has.
    const address = text.replace(/^\[(.*)\]$/, "$1").replace(/%[A-Za-z0-9._-]+$/, "");
    return /^[0-9a-f:.]+$/i.test(address) && URL.parse(`http://[${address}]/`) !== null;
  }
  // A number alone is a port in the wrong place. What looks like an address of version 4 and is none, no URL has.
  const isName = /^[a-z0-9_]([a-z0-9_-]{0,62})(\.[a-z0-9_][a-z0-9_-]{0,62})*\.?$/i.test(text);
  return isName && text.length <= 253 && !/^[0-9]+$/.test(text) && URL.parse(`http://${text}/`) !== null;
}
