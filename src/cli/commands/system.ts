// `punctual system`: shows the state of the deployment.
import type { System } from '../../client/client.ts';
import { type Cli, defineCommand } from '../command.ts';
import { fields, table } from '../table.ts';
import { bothTimes, lengthText, timeText } from '../times.ts';

const COLUMNS = [
  { title: 'SHARD', right: true },
  { title: 'DISPATCHED UNTIL' },
  { title: 'LAG', right: true },
  { title: 'SETTLED UNTIL' },
  { title: 'LAG', right: true },
];

export const system = defineCommand({
  name: 'system',
  summary: 'show version, engine and the cursors of the watcher (operators only)',
  usage: '',
  options: {},
  takes: [0, 0],
  server: 'operator',
  notes: [
    'A lag of up to a minute is normal. If it grows, the watcher does not run or is too slow, and executions start late.',
    'A remote server needs the token of an operator. For a local server the command makes one.',
  ],
  examples: [['punctual system', 'show the state of the local server']],
  async run(cli) {
    const client = await cli.client();
    const state = await client.system({ signal: cli.signal });
    if (cli.json) cli.out(JSON.stringify(state));
    else for (const line of systemText(state, cli)) cli.out(line);
    return undefined;
  },
});

const lag = (seconds: number | undefined): string => {
  if (seconds === undefined) return '';
  return seconds === 0 ? '0 s' : lengthText(seconds * 1000);
};

const systemText = (state: System, cli: Cli): string[] => [
  ...fields(
    [
      ['version', state.version],
      ['engine', state.engine],
      ['horizon', bothTimes(state.horizon, cli)],
      ['shards', String(state.shardCount)],
      ['dispatch lag', lag(state.dispatchLagSeconds)],
      ['settle lag', lag(state.settleLagSeconds)],
    ],
    cli.width,
  ),
  '',
  ...table(
    COLUMNS,
    state.shards.map((one) => [
      String(one.shard),
      timeText(one.dispatchedUntil, cli),
      lag(one.dispatchLagSeconds),
      timeText(one.settledUntil, cli),
      lag(one.settleLagSeconds),
    ]),
    cli.width,
  ),
];
