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

/** Returns an address as people write it. */
export function addressText(address: Address): string {
  if (address.transport === "unix") return address.path;
  const host = address.hostname.includes(":") ? `[${address.hostname}]` : address.hostname;
  return `http://${host}:${address.port}`;
}

/** True when a host can only mean this machine. An IPv6 address may be in brackets. */
export function isLoopback(host: string): boolean {
  const written = host.includes(":") && !host.startsWith("[") ? `[${host}]` : host;
  // The URL parser knows every form of an address, and normalizes it.
  const name = URL.parse(`http://${written}/`)?.hostname ?? "";
  return name === "localhost" || /^(127(\.\d+){3}|\[::1\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]+\])$/.test(name);
}

/** True when a text may be an IP address, with or without brackets for version 6, or the name of a host. */
export function isHost(text: string): boolean {
  if (text.includes(":")) {
    // A link-local address ends with the name of its interface, which a URL cannot contain.
    const address = text.replace(/^\[(.*)\]$/, "$1").replace(/%[A-Za-z0-9._-]+$/, "");
    return /^[0-9a-f:.]+$/i.test(address) && URL.parse(`http://[${address}]/`) !== null;
  }
  // A number alone is a misplaced port. No URL contains a text that looks like an IPv4 address but is not one.
  const isName = /^[a-z0-9_]([a-z0-9_-]{0,62})(\.[a-z0-9_][a-z0-9_-]{0,62})*\.?$/i.test(text);
  return isName && text.length <= 253 && !/^[0-9]+$/.test(text) && URL.parse(`http://${text}/`) !== null;
}
