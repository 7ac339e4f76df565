// Starts DynamoDB Local (by AWS, in Java), the second engine that the conformance suite runs on.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { DIE_WITH_PARENT, freePort } from '../../src/local/dynoxide.ts';
import { dynamoClient } from '../support/engines.ts';

/** `directory` has DynamoDBLocal.jar and DynamoDBLocal_lib. The engine has no option for its interface and listens on all. */
export async function startDynamoDbLocal(
  directory: string,
): Promise<{ endpoint: string; client: DynamoDBClient; stop(): Promise<void> }> {
  const port = await freePort();
  const java = ['java', `-Djava.library.path=${join(directory, 'DynamoDBLocal_lib')}`];
  const jar = ['-jar', join(directory, 'DynamoDBLocal.jar'), '-inMemory', '-port', String(port)];
  const child = spawn('/bin/sh', ['-c', DIE_WITH_PARENT, 'dynamodb-local', ...java, ...jar], {
    env: { ...process.env, DDB_LOCAL_TELEMETRY: '0' },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const endpoint = `http://127.0.0.1:${port}`;
  const client = dynamoClient(endpoint);
  for (let tries = 0; ; tries++) {
    try {
      await client.send(new ListTablesCommand({}));
      break;
    } catch (cause) {
      if (child.exitCode !== null || tries > 50) throw new Error('DynamoDB Local does not answer', { cause });
      await sleep(200);
    }
  }
  return {
    endpoint,
    client,
    stop: async () => {
      client.destroy();
      if (child.exitCode !== null) return;
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      await exit;
      child.stdin.destroy();
    },
  };
}
