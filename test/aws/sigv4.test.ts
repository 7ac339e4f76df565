import { Readable } from 'node:stream';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { HttpRequest } from '@smithy/types';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Credentials, createSigner, type Sign } from '../../src/aws/sigv4.ts';

/** What the SDK would send, signed. */
async function signedBySdk(
  region: string,
  credentials: Credentials,
  MessageBody: string,
): Promise<HttpRequest> {
  let sent: HttpRequest | undefined;
  const handle = async (request: HttpRequest) => {
    sent = request;
    return { response: { statusCode: 200, headers: {}, body: Readable.from(['{}']) } };
  };
  const client = new SQSClient({ region, credentials, requestHandler: { handle } as never, md5: false });
  await client.send(
    new SendMessageCommand({ QueueUrl: 'https://sqs.eu-central-1.amazonaws.com/1/q', MessageBody }),
  );
  if (!sent) throw new Error('nothing was sent');
  return sent;
}

/** 20261117T081500Z */
const timeOf = (stamp: string): number =>
  Date.parse(stamp.replace(/(....)(..)(..)T(..)(..)(..)Z/, '$1-$2-$3T$4:$5:$6Z'));

const NOT_GIVEN = new Set(['x-amz-date', 'x-amz-security-token']);

test('any request is signed as by the SDK, with one signer for them all', async () => {
  const region = 'eu-central-1';
  const sign = createSigner({ region, service: 'sqs' });
  const secrets = fc.string({ minLength: 1 });
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: 'binary', minLength: 1 }),
      fc.record({
        accessKeyId: fc.stringMatching(/^[A-Z0-9]{16}$/),
        secretAccessKey: secrets,
        sessionToken: fc.option(fc.stringMatching(/^[A-Za-z0-9+=]+$/), { nil: undefined }),
      }),
      async (text, credentials) => {
        const { headers, body } = await signedBySdk(region, credentials, text);
        const names = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? '')?.[1]?.split(';') ?? [];
        expect(names).toContain('x-amz-target');
        const given = names
          .filter((name) => !NOT_GIVEN.has(name))
          .map((name) => [name, (headers[name] ?? '').replace(/ +/g, ' ')]);
        const signed = sign(
          Object.fromEntries(given),
          new TextDecoder().decode(body),
          credentials,
          timeOf(headers['x-amz-date'] ?? ''),
        );
        expect(signed.authorization).toBe(headers.authorization);
        expect(signed['x-amz-security-token']).toBe(credentials.sessionToken);
      },
    ),
    { numRuns: 200 },
  );
});

test('another day, another secret, another key', () => {
  const scope = { region: 'us-east-1', service: 'dynamodb' };
  const one = createSigner(scope);
  const signedBy = (sign: Sign, [time, secretAccessKey]: readonly [string, string]) =>
    sign({ host: 'h' }, '{}', { accessKeyId: 'a', secretAccessKey }, Date.parse(time)).authorization;
  const moments = [
    ['2026-11-17T23:59:59Z', 'b'],
    ['2026-11-18T00:00:00Z', 'b'],
    ['2026-11-18T00:00:01Z', 'c'],
    ['2026-11-17T23:59:59Z', 'c'],
  ] as const;
  for (const moment of moments) expect(signedBy(one, moment)).toBe(signedBy(createSigner(scope), moment));
});
