// `punctual start`: runs the local server in this process, like `npm start`.
import { defineCommand } from '../command.ts';
import { DATA_FLAG } from '../data-folder.ts';

export const start = defineCommand({
  name: 'start',
  summary: 'run a server on this machine, with its data in one SQLite file',
  usage: '[--port <n>] [--data <folder>]',
  options: {
    port: {
      type: 'string',
      value: '<n>',
      about: 'port of the API (PUNCTUAL_PORT; default 3000, 0 for a free port)',
    },
    ...DATA_FLAG,
  },
  takes: [0, 0],
  notes: [
    'The server listens on 127.0.0.1 only. Ctrl-C stops it after the running tasks have ended.',
    'With AWS_ENDPOINT_URL the server uses the DynamoDB and SQS APIs at that address instead of the SQLite file.',
  ],
  examples: [
    ['punctual start', 'listen on port 3000 with data in .punctual'],
    ['punctual start --port 4000 --data /tmp/try', 'run a second server'],
  ],
  async run(_cli, _args, { port, data }) {
    if (port !== undefined) process.env.PUNCTUAL_PORT = port;
    if (data !== undefined) process.env.PUNCTUAL_DATA = data;
    const [server, local] = await Promise.all([
      import('../../local/process-lifecycle.ts'),
      import('../../local/start-local.ts'),
    ]);
    // Runs until a signal stops the server, then exits the process.
    await server.runProcess(local.startLocal);
    return undefined;
  },
});
