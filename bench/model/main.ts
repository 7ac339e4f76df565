// `npm run simulate`: what a load would do to the service, by a model. `--help` has the flags, docs/scale.md what it found.
import { findings } from './findings.ts';
import { help, readOptions, UsageError } from './options.ts';
import { simulate } from './simulate.ts';
import { emailText } from './text.ts';

try {
  const { options, json, help: asked } = readOptions(process.argv.slice(2));
  if (asked) {
    console.log(help());
  } else {
    const found = findings(options, simulate(options));
    console.log(json ? JSON.stringify(found, null, 2) : emailText(found));
  }
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(`${error.message}\n\n${help()}`);
  process.exitCode = 2;
}
