// `punctual operations`: shows or stops a background operation.
import { defineCommand, UsageError } from '../command.ts';
import { printOperation } from '../wait.ts';

const VERBS = ['get', 'stop'];

export const operations = defineCommand({
  name: 'operations',
  summary: 'show the progress of a background operation, or stop it',
  usage: 'get|stop <operation>',
  options: {},
  takes: [2, 2],
  server: 'user',
  notes: [
    'Backfills and bulk changes are background operations. punctual backfill and punctual bulk print their ids.',
    'A stopped operation adds no more executions and changes no more jobs. The executions that it has added still run, and changed jobs stay changed.',
  ],
  examples: [
    ['punctual operations get op_5eNmGz0vbrGJ2hYkQ1Xw', 'show the status and the progress'],
    ['punctual operations stop op_5eNmGz0vbrGJ2hYkQ1Xw', 'stop the operation'],
  ],
  async run(cli, [verb = '', id = '']) {
    if (!VERBS.includes(verb))
      throw new UsageError(
        `operations takes get or stop before the operation id, got ${JSON.stringify(verb)}`,
      );
    const client = await cli.client();
    if (verb === 'stop') await client.operations.stop(id, { signal: cli.signal });
    printOperation(cli, await client.operations.get(id, { signal: cli.signal }));
    return undefined;
  },
});
