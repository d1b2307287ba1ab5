/**
 * Assigns each partition to a member, the same in every process that knows the same members. Each member has nearly
 * the same number of partitions, and few partitions move when a member joins or leaves.
 */
export function assigned(members: readonly string[], partitions: number): readonly string[] {
  const most = Math.ceil(partitions / members.length);
  const counts = new Map(members.map((member) => [member, 0]));
  return Array.from({ length: partitions }, (_, index) => {
    const [best] = members
      .filter((member) => counts.get(member)! < most)
      .map((member) => [member, hashOf(`${index} ${member}`)] as const)
      .reduce((a, b) => b[1] > a[1] || b[1] === a[1] && b[0] > a[0] ? b : a);
    counts.set(best, counts.get(best)! + 1);
    return best;
  });
}

/** The partition of the events with this key. */
export function partitionOf(key: string, partitions: number): number {
  return hashOf(key) % partitions;
}

const encoder = new TextEncoder();

/** FNV-1a of the UTF-8 bytes, with a final mix, since similar texts would have similar hashes. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of encoder.encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  hash = Math.imul(hash ^ hash >>> 16, 0x85ebca6b);
  return (hash ^ hash >>> 13) >>> 0;
}
