// Where the log of a container on Fargate is: its group and stream, a link to them, and their last lines.
import type { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import type { TaskDefinition } from '@aws-sdk/client-ecs';

export interface LogPlace {
  readonly container: string;
  /** Absent: the container does not log to CloudWatch. */
  readonly logs?: { readonly group: string; readonly region: string; readonly streamPrefix: string };
}

export function logPlace(container: string, definition?: TaskDefinition): LogPlace {
  const found = definition?.containerDefinitions?.find(({ name }) => name === container)?.logConfiguration;
  const {
    'awslogs-group': group,
    'awslogs-region': region,
    'awslogs-stream-prefix': streamPrefix,
  } = found?.options ?? {};
  if (found?.logDriver !== 'awslogs' || !group || !region || !streamPrefix) return { container };
  return { container, logs: { group, region, streamPrefix } };
}

/** The awslogs driver calls it so. */
const streamOf = (place: LogPlace, taskArn = ''): string =>
  `${place.logs?.streamPrefix}/${place.container}/${taskArn.split('/').at(-1)}`;

export function logLink(place: LogPlace, taskArn: string | undefined): string | undefined {
  if (!place.logs || taskArn === undefined) return undefined;
  const { group, region } = place.logs;
  // the console escapes twice, with "$" for "%"
  const escaped = (text: string) => encodeURIComponent(encodeURIComponent(text)).replaceAll('%', '$');
  return `https://${region}.console.aws.amazon.com/cloudwatch/home?region=${region}#logsV2:log-groups/log-group/${escaped(group)}/log-events/${escaped(streamOf(place, taskArn))}`;
}

/** The last lines that it wrote; none when they cannot be read. */
export async function lastLines(
  logs: CloudWatchLogsClient,
  place: LogPlace,
  taskArn: string | undefined,
  limit: number,
): Promise<string> {
  if (!place.logs) return '';
  const { GetLogEventsCommand } = await import('@aws-sdk/client-cloudwatch-logs');
  const { events = [] } = await logs.send(
    new GetLogEventsCommand({
      logGroupName: place.logs.group,
      logStreamName: streamOf(place, taskArn),
      limit,
      startFromHead: false,
    }),
  );
  return events.map(({ message }) => message ?? '').join('\n');
}
