// The log of a container on Fargate: its location, a link to it, and its last lines.
import type { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import type { TaskDefinition } from '@aws-sdk/client-ecs';

export interface LogLocation {
  readonly container: string;
  /** Absent if the container does not log to CloudWatch. */
  readonly logs?: { readonly group: string; readonly region: string; readonly streamPrefix: string };
}

export function logLocation(container: string, definition?: TaskDefinition): LogLocation {
  const found = definition?.containerDefinitions?.find(({ name }) => name === container)?.logConfiguration;
  const {
    'awslogs-group': group,
    'awslogs-region': region,
    'awslogs-stream-prefix': streamPrefix,
  } = found?.options ?? {};
  if (found?.logDriver !== 'awslogs' || !group || !region || !streamPrefix) return { container };
  return { container, logs: { group, region, streamPrefix } };
}

/** The stream name, as the awslogs driver forms it. */
const streamOf = (location: LogLocation, taskArn = ''): string =>
  `${location.logs?.streamPrefix}/${location.container}/${taskArn.split('/').at(-1)}`;

export function logLink(location: LogLocation, taskArn: string | undefined): string | undefined {
  if (!location.logs || taskArn === undefined) return undefined;
  const { group, region } = location.logs;
  // The CloudWatch console escapes twice, with "$" for "%".
  const escaped = (text: string) => encodeURIComponent(encodeURIComponent(text)).replaceAll('%', '$');
  return `https://${region}.console.aws.amazon.com/cloudwatch/home?region=${region}#logsV2:log-groups/log-group/${escaped(group)}/log-events/${escaped(streamOf(location, taskArn))}`;
}

/** The last `limit` lines of the log. Empty if the container does not log to CloudWatch. */
export async function lastLines(
  logs: CloudWatchLogsClient,
  location: LogLocation,
  taskArn: string | undefined,
  limit: number,
): Promise<string> {
  if (!location.logs) return '';
  const { GetLogEventsCommand } = await import('@aws-sdk/client-cloudwatch-logs');
  const { events = [] } = await logs.send(
    new GetLogEventsCommand({
      logGroupName: location.logs.group,
      logStreamName: streamOf(location, taskArn),
      limit,
      startFromHead: false,
    }),
  );
  return events.map(({ message }) => message ?? '').join('\n');
}
