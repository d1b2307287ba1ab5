/*
 * TLS with a server for which only the authorities of a file may vouch. `Deno.startTls` trusts the authorities of
 * the runtime, too. `node:tls` does not, but Deno 2.9.6 checks too little there. It accepts any chain that contains
 * an X.509 certificate of version 1. It accepts a name that is only a part of an alternative name. With an empty
 * list, it trusts the authorities of the runtime. So this module checks the certificates again before the server
 * sends any data.
 */

import type { PostgresServer } from "../../../config/postgres_url.ts";
import { type Certificate, certificateIn, isFor } from "./certificate.ts";
import { checkChain } from "./chain.ts";
import { SessionLost } from "./errors.ts";
import { NodeTransport } from "./node_transport.ts";
import { askForTls, type Transport } from "./transport.ts";

type PeerCertificate = import("node:tls").DetailedPeerCertificate;

const PEM = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/g;

/** More certificates than any server sends. */
const PRESENTED_MAX = 20;

/** Connects. @throws Error, SessionLost */
export async function connectWithAuthorities(
  { hostname, port }: PostgresServer & { readonly transport: "tcp" },
  authoritiesPath: string,
  verifiesName: boolean,
  onMade: (transport: Transport) => void,
): Promise<Transport> {
  const authorities = await authoritiesIn(authoritiesPath);
  // Both take long to load, and only these connections need them.
  const [{ connect }, tls] = await Promise.all([import("node:net"), import("node:tls")]);
  const socket = connect({ host: hostname, port, noDelay: true, keepAlive: true });
  const plain = new NodeTransport(socket);
  onMade(plain);
  await plain.happens("connect");
  await askForTls(plain);
  await plain.release();
  const ca = authorities.map(({ bytes }) => pemOf(bytes));
  // The environment must not be able to turn the check off.
  const options = { socket, ca, host: hostname, rejectUnauthorized: true };
  const secured = tls.connect({ ...options, checkServerIdentity: () => undefined });
  // The runtime calls it for the skipped check, and an exception in it would end the process.
  secured.getPeerCertificate = () => ({}) as PeerCertificate;
  const secure = new NodeTransport(secured);
  onMade(secure);
  try {
    await secure.happens("secureConnect");
    const detailed = tls.TLSSocket.prototype.getPeerCertificate.call(secured, true);
    await checkServer(
      presentedIn(detailed as PeerCertificate),
      authorities,
      verifiesName ? hostname : undefined,
    );
  } catch (error) {
    throw new SessionLost(`invalid peer certificate: ${(error as Error).message}`);
  }
  return secure;
}

/** @throws Error when this is not the expected server */
async function checkServer(
  presented: readonly Certificate[],
  authorities: readonly Certificate[],
  name: string | undefined,
): Promise<void> {
  await checkChain(presented, authorities, Date.now());
  const [own] = presented;
  if (name === undefined || isFor(own!, name)) return;
  const names = [...own!.hosts, ...own!.addresses].join(", ") || "no host";
  throw new Error(`it is not for ${name}, but for ${names}`);
}

/** @throws SessionLost when the file contains none: with an empty list, the runtime would use its own */
async function authoritiesIn(path: string): Promise<Certificate[]> {
  const text = await Deno.readTextFile(path).catch((error: Error) => {
    throw new SessionLost(`sslrootcert cannot be read: ${error.message}`);
  });
  try {
    const authorities = [...text.matchAll(PEM)].map(([, base64]) =>
      certificateIn(Uint8Array.fromBase64(base64!))
    );
    if (authorities.length > 0) return authorities;
  } catch {
    // A part of the file is not a certificate.
  }
  throw new SessionLost(`sslrootcert must be a file of certificates in PEM form: ${path}`);
}

function presentedIn(first: PeerCertificate): Certificate[] {
  const presented: Certificate[] = [];
  let current: PeerCertificate | undefined = first;
  while (current?.raw !== undefined && presented.length < PRESENTED_MAX) {
    presented.push(certificateIn(new Uint8Array(current.raw)));
    // The last one of a chain may be its own issuer.
    current = current.issuerCertificate === current ? undefined : current.issuerCertificate;
  }
  return presented;
}

function pemOf(bytes: Uint8Array<ArrayBuffer>): string {
  return `-----BEGIN CERTIFICATE-----\n${bytes.toBase64()}\n-----END CERTIFICATE-----\n`;
}
