// Random numbers from a seed, so that a simulation is the same on every machine.
import type { Random } from '../scheduling/context.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** sfc32 */
export function seededRandom(seed: number): Random {
  let [a, b, c, d] = [seed | 0, Math.floor(seed / 0x1_0000_0000) | 0, 0, 1];
  const float = (): number => {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + t;
    return (t >>> 0) / 0x1_0000_0000;
  };
  for (let i = 0; i < 12; i++) float();
  const id = (length: number): string =>
    Array.from({ length }, () => ALPHABET[Math.floor(float() * ALPHABET.length)]).join('');
  return { float, id };
}
