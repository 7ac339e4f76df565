// The stores of secrets on AWS: Secrets Manager and SSM SecureStrings. The secret of a user is `<prefix>/<user>/<name>`. Values
// are cached in memory for a minute.
import { LRUCache } from 'lru-cache';
import { classifyAwsError } from '../aws/sdk-errors.ts';
import { cacheFor } from '../cache-for.ts';
import type { AwsClients } from '../services.ts';
import type { Secrets } from './secrets.ts';

export const KEPT_MS = 60_000;
const MAX_KEPT = 1_000;

export function secretsManagerSecrets(aws: AwsClients, prefix: string): Secrets {
  return stored(`Secrets Manager (${prefix}/…)`, prefix, async (SecretId) => {
    const { GetSecretValueCommand } = await import('@aws-sdk/client-secrets-manager');
    const client = await aws.secretsManager();
    return (await client.send(new GetSecretValueCommand({ SecretId }))).SecretString;
  });
}

export function ssmSecrets(aws: AwsClients, prefix: string): Secrets {
  return stored(`SSM (${prefix}/…)`, prefix, async (Name) => {
    const { GetParameterCommand } = await import('@aws-sdk/client-ssm');
    const client = await aws.ssm();
    const { Parameter } = await client.send(new GetParameterCommand({ Name, WithDecryption: true }));
    return Parameter?.Type === 'SecureString' ? Parameter.Value : undefined;
  });
}

/**
 * The path of a secret. A user id may contain any character. All but letters, digits, "_" and "-" are encoded as ".xx", so
 * that the paths of two users never collide.
 */
export const secretPath = (prefix: string, userId: string, name: string): string => {
  const user = [...Buffer.from(userId)]
    .map((byte) => {
      const char = String.fromCharCode(byte);
      return /[A-Za-z0-9_-]/.test(char) ? char : `.${byte.toString(16).padStart(2, '0')}`;
    })
    .join('');
  return `${prefix}/${user}/${name}`;
};

function stored(
  location: string,
  prefix: string,
  get: (path: string) => Promise<string | undefined>,
): Secrets {
  const kept = new LRUCache<string, () => Promise<string | undefined>>({ max: MAX_KEPT });
  return {
    location,
    async read(userId, name) {
      const path = secretPath(prefix, userId, name);
      const reading =
        kept.get(path) ??
        cacheFor(KEPT_MS, () =>
          get(path).catch((error: unknown) => {
            if (/ResourceNotFound|ParameterNotFound/.test(Object(error).name)) return undefined;
            throw classifyAwsError(`read the secret "${name}"`, error);
          }),
        );
      kept.set(path, reading);
      return reading();
    },
  };
}
