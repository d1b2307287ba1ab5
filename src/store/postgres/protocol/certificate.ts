import { type Element, elementsIn } from "./der.ts";

/** The parts of an X.509 certificate (RFC 5280) that decide whether to trust a server. */
export interface Certificate {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The bytes that the issuer has signed. */
  readonly signed: Uint8Array<ArrayBuffer>;
  readonly signature: Uint8Array<ArrayBuffer>;
  /** The object identifier of the signature's algorithm, in hexadecimal. */
  readonly algorithm: string;
  readonly version: number;
  /** Distinguished names, in hexadecimal. */
  readonly issuer: string;
  readonly subject: string;
  /** Milliseconds since 1970. */
  readonly validFrom: number;
  readonly validUntil: number;
  /** As a SubjectPublicKeyInfo. */
  readonly publicKey: Uint8Array<ArrayBuffer>;
  /** True when it may issue other certificates. */
  readonly isAuthority: boolean;
  /** The hosts that it is valid for. The first label may be `*`. */
  readonly hosts: readonly string[];
  /** The IP addresses that it is valid for, in the form that URLs use. */
  readonly addresses: readonly string[];
}

const BOOLEAN = 0x01;
const GENERALIZED_TIME = 0x18;
const VERSION = 0xa0;
const EXTENSIONS = 0xa3;
const DNS_NAME = 0x82;
const IP_ADDRESS = 0x87;

const SUBJECT_ALTERNATIVE_NAME = "551d11";
const BASIC_CONSTRAINTS = "551d13";

/**
 * Parses a certificate in DER.
 * @throws Error when it is none
 */
export function certificateIn(bytes: Uint8Array<ArrayBuffer>): Certificate {
  const [whole, ...others] = elementsIn(bytes);
  const [signed, , signature] = elementsIn(needed(whole).content);
  if (others.length > 0) throw new Error("it is not a certificate");
  const fields = elementsIn(needed(signed).content);
  const version = fields[0]?.tag === VERSION ? elementsIn(fields.shift()!.content)[0]!.content[0]! + 1 : 1;
  const [, algorithm, issuer, validity, subject, publicKey, ...rest] = fields;
  const [from, until] = elementsIn(needed(validity).content).map(timeIn);
  const extensions = extensionsIn(rest.find(({ tag }) => tag === EXTENSIONS));
  const constraints = extensions.get(BASIC_CONSTRAINTS);
  const [isAuthority] = constraints === undefined ? [] : elementsIn(sequenceIn(constraints));
  const alternatives = extensions.get(SUBJECT_ALTERNATIVE_NAME);
  const names = alternatives === undefined ? [] : elementsIn(sequenceIn(alternatives));
  return {
    bytes,
    signed: needed(signed).whole,
    // The first byte is the number of unused bits in the last one, which is 0 here.
    signature: needed(signature).content.subarray(1),
    algorithm: elementsIn(needed(algorithm).content)[0]!.content.toHex(),
    version,
    issuer: needed(issuer).whole.toHex(),
    subject: needed(subject).whole.toHex(),
    validFrom: from!,
    validUntil: until!,
    publicKey: needed(publicKey).whole,
    isAuthority: isAuthority?.tag === BOOLEAN && isAuthority.content[0] !== 0,
    hosts: names.filter(({ tag }) => tag === DNS_NAME).map(({ content }) => latin1(content).toLowerCase()),
    addresses: names.filter(({ tag }) => tag === IP_ADDRESS).map(({ content }) => addressIn(content)),
  };
}

/**
 * True when a certificate is valid for a host. Only alternative names count, and a `*` stands for one whole label.
 * @param host a name or an IP address, without brackets
 */
export function isFor({ hosts, addresses }: Certificate, host: string): boolean {
  const name = URL.parse(`http://${host.includes(":") ? `[${host}]` : host}/`)?.hostname.replace(/\.$/, "");
  if (name === undefined) return false;
  if (/^(\[.*\]|[\d.]+)$/.test(name)) return addresses.includes(name);
  const parent = name.slice(name.indexOf("."));
  // A `*` must not cover everything below a top-level domain.
  return hosts.includes(name) || (/^\.[^.]+\../.test(parent) && hosts.includes(`*${parent}`));
}

/** The values of extensions, by their object identifiers. */
function extensionsIn(list: Element | undefined): Map<string, Uint8Array<ArrayBuffer>> {
  const extensions = list === undefined ? [] : elementsIn(sequenceIn(list.content));
  return new Map(extensions.map(({ content }) => {
    const parts = elementsIn(content);
    return [parts[0]!.content.toHex(), parts.at(-1)!.content];
  }));
}

function sequenceIn(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return needed(elementsIn(bytes)[0]).content;
}

/** `YYMMDDHHMMSSZ`, the years 1950 to 2049, or `YYYYMMDDHHMMSSZ`. */
function timeIn({ tag, content }: Element): number {
  const text = latin1(content);
  const century = Number(text.slice(0, 2)) < 50 ? "20" : "19";
  const digits = tag === GENERALIZED_TIME ? text : century + text;
  const time = Date.parse(
    digits.replace(/^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"),
  );
  if (Number.isNaN(time)) throw new Error("it has no period of validity");
  return time;
}

function addressIn(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join(".");
  const groups = bytes.toHex().match(/..../g)?.join(":") ?? "";
  return URL.parse(`http://[${groups}]/`)?.hostname ?? "";
}

function latin1(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes);
}

function needed(element: Element | undefined): Element {
  if (element === undefined) throw new Error("it is not a certificate");
  return element;
}
