// The signature of a request, and how its receiver verifies it. No imports, WebCrypto only: it runs in Node, Deno, Bun,
// workers and browsers, and can be copied into a receiver as it is.
//
//   Punctual-Signature: t=1796119200,v1=k2.1:<hex>,v1=k1.1:<hex>
//
// Each v1 is the HMAC-SHA256 of "<t>.<method>.<url>.<body>" under the key with that id. While a key is being replaced
// there are two: the receiver takes the one it has the key for.

export interface SigningKey {
  readonly id: string;
  /** Base64url of its bytes. */
  readonly secret: string;
}

export interface SignedRequest {
  readonly method: string;
  /** As it stands in the job, or as a redirect within the same origin gave it. */
  readonly url: string;
  /** Exactly as it was sent; absent or empty when there was none. */
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
  /** The keys that the receiver knows; during a rotation the old and the new one. */
  readonly keys: readonly SigningKey[];
  /** How old, or how far ahead, a request may be: limits for how long a copied one can be sent again. */
  readonly toleranceSeconds?: number;
  /** Epoch milliseconds; default: now. */
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
      // `verify` compares in constant time
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
