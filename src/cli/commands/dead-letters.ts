// What the server has: tasks, workers, dead letters.
import { defineCommand, UsageError } from '../command.ts';
import { findJobId } from '../find.ts';
import { table } from '../table.ts';
import { executionTable } from '../tables.ts';
import { instantOf, iso, timeText } from '../times.ts';
import { limitOf, take, tellMore } from './list.ts';

export const tasks = defineCommand({
  name: 'tasks',
  summary: 'list the tasks that jobs can run',
  usage: '[<task>]',
  options: {},
  takes: [0, 1],
  server: 'user',
  examples: [
    ['punctual tasks', 'all, with the names of their params'],
    ['punctual tasks http', 'one, with the JSON Schema of its params'],
  ],
  async run(cli, [name]) {
    const client = await cli.client();
    const all = await client.tasks({ signal: cli.signal });
    if (name === undefined) {
      const rows = all.map((task) => [
        task.name,
        Object.keys(Object(task.params.properties)).join(' '),
        task.description,
      ]);
      const columns = [
        { title: 'TASK' },
        { title: 'PARAMS', flexible: true },
        { title: 'WHAT IT DOES', flexible: true },
      ];
      for (const line of cli.json ? [JSON.stringify(all)] : table(columns, rows, cli.width)) cli.out(line);
      return undefined;
    }
    const task = all.find((one) => one.name === name);
    if (!task)
      throw new UsageError(
        `there is no task ${JSON.stringify(name)}; there are ${all.map((one) => one.name).join(', ')}`,
      );
    cli.out(
      cli.json ? JSON.stringify(task) : `${task.description}\n\n${JSON.stringify(task.params, undefined, 2)}`,
    );
    return undefined;
  },
});

export const workers = defineCommand({
  name: 'workers',
  summary: 'list the live workers and what they run (operators)',
  usage: '',
  options: {},
  takes: [0, 0],
  server: 'operator',
  examples: [['punctual workers', 'locally; elsewhere with the token of an operator']],
  async run(cli) {
    const client = await cli.client();
    const all = await client.workers({ signal: cli.signal });
    const columns = [
      { title: 'WORKER' },
      { title: 'HOST', flexible: true },
      { title: 'STARTED' },
      { title: 'SEEN' },
      { title: 'RUNS', right: true },
      { title: 'EXECUTIONS', flexible: true },
    ];
    const rows = all.map((worker) => [
      worker.id,
      worker.host,
      timeText(worker.startedAt, cli),
      timeText(worker.lastSeenAt, cli),
      String(worker.running.length),
      worker.running.map(({ id }) => id).join(' '),
    ]);
    if (cli.json) cli.out(JSON.stringify(all));
    else if (all.length === 0) cli.err('no live workers');
    else for (const line of table(columns, rows, cli.width)) cli.out(line);
    return undefined;
  },
});

export const deadLetters = defineCommand({
  name: 'dead-letters',
  summary: 'list failed executions that await a decision, or run them again',
  usage: '[redrive <execution>… | redrive --job <job>] [--from <time>] [--to <time>]',
  options: {
    job: { type: 'string', value: '<job>', about: 'of this job, by id or name' },
    from: {
      type: 'string',
      value: '<time>',
      about: 'due at or after: 2026-12-01T10:00:00Z, 2026-12-01, 24h (ago)',
    },
    to: { type: 'string', value: '<time>', about: 'due before' },
    limit: { type: 'string', value: '<n>', about: 'list at most so many (default 20)' },
    all: { type: 'boolean', about: 'list all of them' },
  },
  takes: [0, Number.POSITIVE_INFINITY],
  server: 'user',
  examples: [
    ['punctual dead-letters', 'what has failed for good'],
    ['punctual dead-letters redrive job_5eNmGz0vbrGJ2hYkQ1Xw.1796119200000', 'one of them runs again'],
    ['punctual dead-letters redrive --job hello --from 24h', 'all of a job since yesterday'],
  ],
  async run(cli, [verb, ...ids], { job, from, to, limit, all }) {
    if (verb !== undefined && verb !== 'redrive') {
      throw new UsageError(
        `dead-letters can be listed or redriven, not ${JSON.stringify(verb)}: punctual dead-letters redrive …`,
      );
    }
    const now = cli.now();
    const client = await cli.client();
    const { signal } = cli;
    const range = {
      ...(from !== undefined && { from: iso(instantOf(from, now, '--from')) }),
      ...(to !== undefined && { to: iso(instantOf(to, now, '--to')) }),
    };
    const jobId = job === undefined ? undefined : await findJobId(client, job, signal);
    if (verb === undefined) {
      const most = all ? Number.POSITIVE_INFINITY : limitOf(limit);
      const query = { ...range, ...(jobId !== undefined && { jobId }), limit: Math.min(100, most + 1) };
      const { items, more } = await take(client.deadLetters.list(query, { signal }), most);
      if (cli.json) cli.out(JSON.stringify(items));
      else if (items.length === 0) cli.err('no dead letters');
      else for (const line of executionTable(items, cli)) cli.out(line);
      if (more) tellMore(cli, most);
      return undefined;
    }
    if ((ids.length === 0) === (jobId === undefined)) {
      throw new UsageError('redrive what? Give ids of executions, or --job <job>');
    }
    if (ids.length > 0 && (from !== undefined || to !== undefined)) {
      throw new UsageError('--from and --to go with --job, not with ids');
    }
    const answer = await client.deadLetters.redrive(jobId === undefined ? { ids } : { jobId, ...range }, {
      signal,
    });
    cli.out(cli.json ? JSON.stringify(answer) : `${answer.redriven} run again`);
    return undefined;
  },
});
