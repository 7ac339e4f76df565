// The engines of local mode for tests, each on a free loopback port.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { type RunningDynoxide, startDynoxide as start } from '../../src/local/dynoxide.ts';
import { startFauxqs } from '../../src/local/fauxqs.ts';

const local = { region: 'us-east-1', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };

export const dynamoClient = (endpoint: string): DynamoDBClient => new DynamoDBClient({ ...local, endpoint });
export const sqsClient = (endpoint: string): SQSClient => new SQSClient({ ...local, endpoint });

export async function startDynoxide(
  options: { port?: number; dataPath?: string } = {},
): Promise<RunningDynoxide & { client: DynamoDBClient }> {
  const engine = await start(options);
  const client = dynamoClient(engine.endpoint);
  return {
    ...engine,
    client,
    stop: async () => {
      client.destroy();
      await engine.stop();
    },
  };
}

export async function startQueueServer(): Promise<{
  endpoint: string;
  client: SQSClient;
  stop(): Promise<void>;
}> {
  const server = await startFauxqs();
  const client = sqsClient(server.endpoint);
  return {
    endpoint: server.endpoint,
    client,
    stop: async () => {
      client.destroy();
      await server.stop();
    },
  };
}
