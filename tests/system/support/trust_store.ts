import { existsSync } from "node:fs";
import { join } from "node:path";

/** Where Debian has the certificates of all authorities that the machine trusts. */
const AUTHORITIES = "/etc/ssl/certs/ca-certificates.crt";

/** The words that begin the checksum of every store of this format. */
const CHECKSUM_WORDS = "Mighty Aphrodite";

/**
 * Options that make a Java runtime trust the authorities that the machine trusts. Java reads no PEM file, so this
 * writes them as a Java key store into the directory. Without such a file, Java trusts its own authorities.
 */
export async function trustStore(directory: string): Promise<string[]> {
  const named = Deno.env.get("SSL_CERT_FILE") ?? Deno.env.get("DENO_CERT") ?? AUTHORITIES;
  if (!existsSync(named)) return [];
  const path = join(directory, "authorities.jks");
  const unfinished = await Deno.makeTempFile({ dir: directory });
  await Deno.writeFile(unfinished, await keyStoreOf(await Deno.readTextFile(named)));
  await Deno.rename(unfinished, path);
  return [`-Djavax.net.ssl.trustStore=${path}`];
}

/** A key store in the format JKS, version 2, with the certificates of a PEM file and an empty password. */
async function keyStoreOf(pem: string): Promise<Uint8Array<ArrayBuffer>> {
  const certificates = [...pem.matchAll(/-----BEGIN CERTIFICATE-----([^-]+)-----END CERTIFICATE-----/g)]
    .map(([, base64]) => Uint8Array.fromBase64(base64!.replaceAll(/\s/g, "")));
  const isTrusted = 2;
  const parts = [number(0xfeedfeed), number(2), number(certificates.length)];
  for (const [i, certificate] of certificates.entries()) {
    const createdAt = new Uint8Array(8);
    parts.push(number(isTrusted), text(`authority${i}`), createdAt, text("X.509"));
    parts.push(number(certificate.length), certificate);
  }
  const content = await bytesOf(parts);
  const checksum = await crypto.subtle.digest(
    "SHA-1",
    await bytesOf([new TextEncoder().encode(CHECKSUM_WORDS), content]),
  );
  return await bytesOf([content, new Uint8Array(checksum)]);
}

function number(value: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}

/** ASCII text after its length in two bytes. */
function text(value: string): Uint8Array<ArrayBuffer> {
  const ascii = new TextEncoder().encode(value);
  return Uint8Array.of(0, ascii.length, ...ascii);
}

async function bytesOf(parts: readonly Uint8Array<ArrayBuffer>[]): Promise<Uint8Array<ArrayBuffer>> {
  return await new Blob([...parts]).bytes();
}
