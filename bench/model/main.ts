// `npm run simulate`: a model of the service under a load. docs/scale.md has its results.
import { findings } from './findings.ts';
import { help, readOptions, UsageError } from './options.ts';
import { simulate } from './simulate.ts';
import { reportText } from './text.ts';

try {
  const { options, json, help: asked } = readOptions(process.argv.slice(2));
  if (asked) {
    console.log(help());
  } else {
    const found = findings(options, simulate(options));
    console.log(json ? JSON.stringify(found, null, 2) : reportText(found));
  }
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(`${error.message}\n\n${help()}`);
  process.exitCode = 2;
}
