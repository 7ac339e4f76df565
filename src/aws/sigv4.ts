// AWS Signature Version 4 of a POST to a service's root, as DynamoDB and SQS take it. The SDK's signer does the same for any
// request, in several times the CPU: it derives the day's key anew to look it up, and copies the request on the way.
import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** What a signature is good for, beside the day. */
interface Scope {
  readonly region: string;
  readonly service: string;
}

/** Names in lower case, values without line breaks or spaces side by side. */
type Headers = Record<string, string>;

const ALGORITHM = 'AWS4-HMAC-SHA256';

/** 20261117T081500Z */
const stampOf = (now: number): string => new Date(now).toISOString().replace(/[-:]|\.\d{3}/g, '');

export type Sign = (headers: Headers, body: string, who: Credentials, now: number) => Headers;

/** Signs all `headers`, and returns them with those that a signature adds. */
export function createSigner({ region, service }: Scope): Sign {
  let keyOf: { secret: string; day: string; key: KeyObject } | undefined;

  function keyFor(secret: string, day: string): KeyObject {
    if (keyOf?.secret === secret && keyOf.day === day) return keyOf.key;
    let key: string | Buffer = `AWS4${secret}`;
    for (const part of [day, region, service, 'aws4_request'])
      key = createHmac('sha256', key).update(part).digest();
    keyOf = { secret, day, key: createSecretKey(key as Buffer) };
    return keyOf.key;
  }

  return (headers, body, { accessKeyId, secretAccessKey, sessionToken }, now) => {
    const stamp = stampOf(now);
    const day = stamp.slice(0, 8);
    const signed: Headers = { ...headers, 'x-amz-date': stamp };
    if (sessionToken !== undefined) signed['x-amz-security-token'] = sessionToken;
    const names = Object.keys(signed).sort();
    const list = names.join(';');
    const lines = names.map((name) => `${name}:${signed[name]}\n`).join('');
    const canonical = `POST\n/\n\n${lines}\n${list}\n${hash('sha256', body)}`;
    const scope = `${day}/${region}/${service}/aws4_request`;
    const signature = createHmac('sha256', keyFor(secretAccessKey, day))
      .update(`${ALGORITHM}\n${stamp}\n${scope}\n${hash('sha256', canonical)}`)
      .digest('hex');
    signed.authorization = `${ALGORITHM} Credential=${accessKeyId}/${scope}, SignedHeaders=${list}, Signature=${signature}`;
    return signed;
  };
}
