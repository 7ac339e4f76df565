// `punctual start`: the whole of local mode in this process, as `npm start`.
import { defineCommand } from '../command.ts';

export const start = defineCommand({
  name: 'start',
  summary: 'run a server on this machine, with its data in one SQLite file',
  usage: '[--port <n>] [--data <folder>]',
  options: {
    port: {
      type: 'string',
      value: '<n>',
      about: 'of the API (PUNCTUAL_PORT; default 3000, 0 picks a free one)',
    },
    data: {
      type: 'string',
      value: '<folder>',
      about: 'the database and the keys (PUNCTUAL_DATA; default .punctual)',
    },
  },
  takes: [0, 0],
  notes: [
    'Listens on 127.0.0.1 only. Ctrl-C lets running tasks end and stops it.',
    'With AWS_ENDPOINT_URL it uses the DynamoDB and SQS APIs at that address instead of the file.',
  ],
  examples: [
    ['punctual start', 'on port 3000, with data in .punctual'],
    ['punctual start --port 4000 --data /tmp/try', 'beside another one'],
  ],
  async run(_cli, _args, { port, data }) {
    if (port !== undefined) process.env.PUNCTUAL_PORT = port;
    if (data !== undefined) process.env.PUNCTUAL_DATA = data;
    const [server, local] = await Promise.all([import('../../local/run.ts'), import('../../local/start.ts')]);
    // runs until a signal ends it, and then ends the process itself
    await server.run(local.start);
    return undefined;
  },
});
