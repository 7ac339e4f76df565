// Signs requests and verifies signatures. It has no imports and uses WebCrypto only, so it runs in Node, Deno, Bun, Cloudflare
// Workers and browsers. A receiver can copy the file.
//
//   Punctual-Signature: t=1796119200,v1=k2.1:<hex>,v1=k1.1:<hex>
//
// Each v1 is the HMAC-SHA256 of "<t>.<method>.<url>.<body>" with the key of that id. During a rotation there are two, and the
// receiver verifies the one whose key it has.

export interface SigningKey {
  readonly id: string;
  /** The bytes of the key in base64url. */
  readonly secret: string;
}

export interface SignedRequest {
  readonly method: string;
  /** The URL of the job, or of a redirect within its origin. */
  readonly url: string;
  /** The body exactly as it was sent. Absent or empty if there was none. */
  readonly body?: string;
}

export async function sign(
  keys: readonly SigningKey[],
  request: SignedRequest,
  unixSeconds: number,
): Promise<string> {
  const signed = await Promise.all(
    keys.map(async ({ id, secret }) => {
      const mac = await crypto.subtle.sign('HMAC', await hmacKey(secret, 'sign'), text(request, unixSeconds));
      return `v1=${id}:${toHex(new Uint8Array(mac))}`;
    }),
  );
  return [`t=${unixSeconds}`, ...signed].join(',');
}

export interface Verification extends SignedRequest {
  /** The header Punctual-Signature. */
  readonly signature: string | null | undefined;
  /** The keys of the receiver. During a rotation, the old and the new one. */
  readonly keys: readonly SigningKey[];
  /** Maximum age of a request, and maximum difference of clocks. It limits replays. Default: 300. */
  readonly toleranceSeconds?: number;
  /** Epoch milliseconds. Default: the current time. */
  readonly now?: number;
}

export async function verifySignature({ signature, keys, ...request }: Verification): Promise<boolean> {
  const fields = (signature ?? '').split(',').map((field) => field.trim());
  const times = fields.filter((field) => /^t=\d{1,12}$/.test(field));
  if (times.length !== 1) return false;
  const time = Number(times[0]?.slice(2));
  const age = Math.abs((request.now ?? Date.now()) / 1000 - time);
  if (!(age <= (request.toleranceSeconds ?? 300))) return false;
  for (const { id, secret } of keys) {
    const prefix = `v1=${id}:`;
    for (const field of fields) {
      const mac = field.startsWith(prefix) ? fromHex(field.slice(prefix.length)) : undefined;
      // `verify` compares in constant time.
      if (
        mac &&
        (await crypto.subtle.verify('HMAC', await hmacKey(secret, 'verify'), mac, text(request, time)))
      )
        return true;
    }
  }
  return false;
}

const text = ({ method, url, body = '' }: SignedRequest, time: number): Uint8Array<ArrayBuffer> =>
  new TextEncoder().encode(`${time}.${method.toUpperCase()}.${url}.${body}`);

const hmacKey = (secret: string, use: 'sign' | 'verify') =>
  crypto.subtle.importKey('raw', fromBase64url(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [use]);

function fromBase64url(value: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(value.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));
}

const toHex = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');

function fromHex(hex: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[0-9a-f]{64}$/.test(hex)) return undefined;
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
