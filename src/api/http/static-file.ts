// Files that are the same for everybody: the console, the documentation and the OpenAPI document. They have compressed copies, and
// a request gets the smallest one that it accepts (RFC 9110, 12.5.3).
import { promisify } from 'node:util';
import { brotliCompress, brotliDecompress, constants, gzip } from 'node:zlib';
import { fingerprint } from './conditional-get.ts';

/** From the smallest copy to the file itself. */
const CODINGS = ['br', 'gzip', 'identity'] as const;
export type Coding = (typeof CODINGS)[number];

export interface StaticFile {
  readonly type: string;
  /** The bytes in this coding. Undefined if there is no such copy. The file itself is always there. */
  copy(coding: Coding): Promise<Buffer> | undefined;
}

interface StaticReply {
  readonly body: Buffer;
  readonly headers: Readonly<Record<string, string>>;
}

const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);
const decompress = promisify(brotliDecompress);

/** Half the time of the default for a tenth more bytes. Builds use the best quality instead. */
const QUALITY_ON_DEMAND = 5;

/** A file of a build, which has a brotli copy, the file itself, or both. */
export function builtFile(type: string, plain: Buffer | undefined, brotli: Buffer | undefined): StaticFile {
  // Rare: every current browser accepts brotli.
  const identity = async () => plain ?? decompress(brotli ?? Buffer.alloc(0));
  const gzip = async () => compressGzip(await identity());
  return remembering(type, { ...(brotli && { br: async () => brotli }), gzip, identity });
}

/** A file without copies. They are made at the first request that accepts them, in threads of Node. */
export const compressedOnDemand = (type: string, plain: Buffer): StaticFile =>
  remembering(type, {
    br: () => compressBrotli(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY_ON_DEMAND } }),
    gzip: () => compressGzip(plain),
    identity: async () => plain,
  });

/** The first request in a coding makes the copy. A copy that failed is made again. */
function remembering(
  type: string,
  make: Readonly<Partial<Record<Coding, () => Promise<Buffer>>>>,
): StaticFile {
  const copies = new Map<Coding, Promise<Buffer>>();
  return {
    type,
    copy(coding) {
      const made = copies.get(coding) ?? make[coding]?.();
      if (made && !copies.has(coding)) {
        copies.set(coding, made);
        made.catch(() => copies.delete(coding));
      }
      return made;
    },
  };
}

const etags = new WeakMap<Buffer, string>();

/** Each copy is a representation of its own, with its own ETag. */
function etagOf(bytes: Buffer): string {
  const etag = etags.get(bytes) ?? `"${fingerprint(bytes)}"`;
  etags.set(bytes, etag);
  return etag;
}

/** Undefined for `acceptEncoding` means no preference: such a client, often curl, gets the file itself. */
export async function staticReply(
  file: StaticFile,
  acceptEncoding: string | undefined,
  cacheControl: string,
): Promise<StaticReply> {
  const accepted = acceptedCodings(acceptEncoding ?? '');
  for (const coding of CODINGS) {
    const copy = coding === 'identity' || accepted(coding) ? file.copy(coding) : undefined;
    if (!copy) continue;
    const body = await copy;
    return {
      body,
      headers: {
        'content-type': file.type,
        'cache-control': cacheControl,
        vary: 'accept-encoding',
        etag: etagOf(body),
        ...(coding !== 'identity' && { 'content-encoding': coding }),
      },
    };
  }
  throw new Error('a file without content');
}

/** A weight of 0 refuses a coding, and `*` stands for those that are not named. */
function acceptedCodings(header: string): (coding: Coding) => boolean {
  const weights = new Map(
    header.split(',').map((item) => {
      const [coding = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
      return [coding, !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))] as const;
    }),
  );
  return (coding) => weights.get(coding) ?? weights.get('*') ?? false;
}
