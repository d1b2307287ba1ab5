import type { Certificate } from "./certificate.ts";

/**
 * The hashes of signature algorithms, by object identifier: RSA (PKCS #1) and ECDSA. Ed25519 needs no separate hash.
 */
const HASHES: ReadonlyMap<string, "sha256" | "sha384" | "sha512" | null> = new Map([
  ["2a864886f70d01010b", "sha256"],
  ["2a864886f70d01010c", "sha384"],
  ["2a864886f70d01010d", "sha512"],
  ["2a8648ce3d040302", "sha256"],
  ["2a8648ce3d040303", "sha384"],
  ["2a8648ce3d040304", "sha512"],
  ["2b6570", null],
]);

/** Longer than any chain: the search takes one step for each certificate. */
const CERTIFICATES_MAX = 10;

const X509_VERSION = 3;

/**
 * Checks that a chain leads from a server's certificate to one of the authorities.
 * @param presented the certificates from the server: its own first, then the intermediate ones in any order
 * @throws Error with the reason
 */
export async function checkChain(
  presented: readonly Certificate[],
  authorities: readonly Certificate[],
  now: number,
): Promise<void> {
  const [own, ...between] = presented.slice(0, CERTIFICATES_MAX);
  if (own === undefined) throw new Error("there is none");
  const isAuthority = (one: Certificate): boolean =>
    authorities.some((other) => areEqual(one.bytes, other.bytes));
  const older = presented.find((one) => one.version !== X509_VERSION && !isAuthority(one));
  if (older !== undefined) {
    throw new Error(`X.509 version ${older.version} says too little: make one of version 3`);
  }
  let current = own;
  for (let step = 0; step < CERTIFICATES_MAX; step++) {
    if (now < current.validFrom || now > current.validUntil) {
      throw new Error("it is expired, or not valid yet");
    }
    if (isAuthority(current) || await issuerAmong(authorities, current) !== undefined) return;
    const issuer = await issuerAmong(between.filter(({ isAuthority }) => isAuthority), current);
    if (issuer === undefined) break;
    current = issuer;
  }
  throw new Error("it is of no authority in sslrootcert");
}

async function issuerAmong(
  candidates: readonly Certificate[],
  { issuer, algorithm, signed, signature }: Certificate,
): Promise<Certificate | undefined> {
  const hash = HASHES.get(algorithm);
  if (hash === undefined) throw new Error("it has an unknown kind of signature");
  // Loading it takes long, and only these connections need it.
  const { createPublicKey, verify } = await import("node:crypto");
  return candidates.find(({ subject, publicKey }) => {
    if (subject !== issuer) return false;
    const key = createPublicKey({ key: publicKey as never, format: "der", type: "spki" });
    return verify(hash, signed, key, signature);
  });
}

function areEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, i) => byte === other[i]);
}
