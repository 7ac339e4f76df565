// `punctual forecast`: counts the executions that are due in the next minutes.
import { defineCommand } from '../command.ts';
import { table } from '../table.ts';
import { timeText } from '../times.ts';

const COLUMNS = [{ title: 'MINUTE' }, { title: 'DUE', right: true }, { title: '' }];
const MAX_BAR = 40;

export const forecast = defineCommand({
  name: 'forecast',
  summary: 'count the executions of all users that are due in the next minutes (operators only)',
  usage: '',
  options: {},
  takes: [0, 0],
  server: 'operator',
  notes: [
    'The first minute is the current one, which is partly over. Jobs that were paused or edited since are counted, too.',
    'A remote server needs the token of an operator. For a local server the command makes one.',
  ],
  examples: [['punctual forecast', 'show the load of the next minutes']],
  async run(cli) {
    const client = await cli.client();
    const counted = await client.forecast({ signal: cli.signal });
    if (cli.json) {
      cli.out(JSON.stringify(counted));
      return undefined;
    }
    const { items, busiestSecond, truncated } = counted;
    const most = Math.max(1, ...items.map(({ due }) => due));
    const rows = items.map(({ at, due }) => [
      timeText(at, cli),
      due.toLocaleString('en'),
      '#'.repeat(Math.ceil((due / most) * MAX_BAR)),
    ]);
    for (const line of table(COLUMNS, rows, cli.width)) cli.out(line);
    cli.out('');
    cli.out(`busiest second: ${busiestSecond.toLocaleString('en')}`);
    if (truncated) cli.err('there are more executions than were counted: later minutes are incomplete');
    return undefined;
  },
});
