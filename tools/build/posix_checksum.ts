const POLYNOMIAL = 0x04c11db7;

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte << 24;
  for (let bit = 0; bit < 8; bit++) crc = (crc << 1) ^ (crc < 0 ? POLYNOMIAL : 0);
  return crc;
});

/** The output of the POSIX command `cksum`: checksum and length. */
export function posixChecksum(bytes: Uint8Array): string {
  let crc = 0;
  for (const byte of bytes) crc = (crc << 8) ^ TABLE[(crc >>> 24) ^ byte]!;
  for (let length = bytes.length; length > 0; length = Math.floor(length / 256)) {
    crc = (crc << 8) ^ TABLE[(crc >>> 24) ^ (length & 0xff)]!;
  }
  return `${~crc >>> 0} ${bytes.length}`;
}
