// `punctual plan`: shows what `punctual apply` would change.
import { defineCommand, EXIT } from '../command.ts';
import { hasDifferences } from '../jobs-file/compare-with-server.ts';
import { FILE_FLAGS, planFile, planJson, printPlan, refusesPrune } from '../jobs-file/file-command.ts';

export const plan = defineCommand({
  name: 'plan',
  summary: 'show what punctual apply would change; writes nothing',
  usage: '-f <jobs.yaml> [--prune] [--detailed-exitcode]',
  options: {
    ...FILE_FLAGS,
    'detailed-exitcode': { type: 'boolean', about: 'exit with 3 if there are differences' },
  },
  takes: [0, 0],
  server: 'user',
  notes: [
    '+ create, ~ update, ± replace (a new job is created and the old one is cancelled), - not in the file.\nDrift is a field that somebody has changed since the last apply.',
  ],
  exitCodes: {
    0: 'the plan was printed',
    1: 'the server refuses some jobs',
    2: 'the command line or the file is wrong, or the prune is refused',
    3: 'there are differences, with --detailed-exitcode',
  },
  examples: [
    ['punctual plan -f jobs.yaml', 'show the differences'],
    ['punctual plan -f jobs.yaml --markdown > plan.md', 'write a comment for a pull request'],
    ['punctual plan -f jobs.yaml --prune --detailed-exitcode', 'check in CI that nothing has drifted'],
  ],
  async run(cli, _args, values) {
    const planned = await planFile(cli, values);
    if (typeof planned === 'number') return planned;
    if (cli.json) cli.out(JSON.stringify(planJson(planned, values.prune === true)));
    else printPlan(cli, values, planned);
    if (refusesPrune(cli, values, planned)) return EXIT.usage;
    if (planned.summary.refused > 0) return EXIT.failure;
    return values['detailed-exitcode'] && hasDifferences(planned.summary) ? EXIT.differences : EXIT.ok;
  },
});
