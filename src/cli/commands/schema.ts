// `punctual schema`: prints the JSON Schema of jobs files, for editors.
import { defineCommand } from '../command.ts';
import { jobsFileJsonSchema } from '../jobs-file/file-schema.ts';

export const schema = defineCommand({
  name: 'schema',
  summary: 'print the JSON Schema of jobs files, for editors; needs no server',
  usage: '',
  options: {},
  takes: [0, 0],
  examples: [
    [
      'punctual schema > jobs.schema.json',
      'write the schema, for "# yaml-language-server: $schema=jobs.schema.json"',
    ],
  ],
  async run(cli) {
    cli.out(JSON.stringify(jobsFileJsonSchema(), undefined, 2));
    return undefined;
  },
});
