// The hash that spreads job ids over shards, queues and index partitions. It imports nothing, so that a browser computes the
// same jitter as the scheduler.

/** FNV-1a with one avalanche round. Stored keys depend on it, so it must never change. */
export function hash(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  // The last byte hardly changes FNV's low bits. The avalanche round makes `mod n` even.
  h ^= h >>> 16;
  h = Math.imul(h, 0x85ebca6b);
  return (h ^ (h >>> 13)) >>> 0;
}
