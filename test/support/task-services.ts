// The services of tasks in tests: mocked SDK clients or clients of an embedded engine. All targets are allowed by default.

import { createRecipients } from '../../src/tasks/aws/recipients.ts';
import { ANY_TARGET, createTargets, type TargetPatterns } from '../../src/tasks/aws/targets.ts';
import type { AwsClients, TaskServices } from '../../src/tasks/services.ts';

export const local = { region: 'eu-west-1', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };

const none = () => Promise.reject(new Error('this client was not to be used'));

export function testServices(
  clients: Partial<{ [K in keyof AwsClients]: Awaited<ReturnType<AwsClients[K]>> }>,
  more: Partial<TaskServices> & { allow?: TargetPatterns } = {},
): TaskServices {
  const aws = new Proxy({} as AwsClients, {
    get: (_, name: keyof AwsClients) => (clients[name] ? async () => clients[name] : none),
  });
  const unused = () => {
    throw new Error('not to be used');
  };
  return {
    aws,
    targets: createTargets({ allow: more.allow ?? ANY_TARGET }),
    recipients: createRecipients(['*@example.com']),
    http: unused,
    scripts: unused,
    containers: () => ({
      cluster: 'jobs',
      subnets: ['subnet-1'],
      securityGroups: ['sg-1'],
      assignPublicIp: false,
    }),
    ...more,
  };
}

/** An error as the AWS SDK throws it. */
export const awsError = (name: string, status: number, message = 'what AWS said', more: object = {}): Error =>
  Object.assign(new Error(message), {
    name,
    $metadata: { httpStatusCode: status },
    $fault: 'client',
    ...more,
  });
