// A stack of your own with Punctual, a Lambda that a job invokes every night, and a custom task.
import { App, CfnOutput, Stack } from 'aws-cdk-lib';
import { Code, Function as Lambda, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Punctual } from 'punctual/cdk';

const app = new App();
const stage = app.node.tryGetContext('stage') ?? 'dev';
const stack = new Stack(app, `reports-${stage}`);

const report = new Lambda(stack, 'Report', {
  functionName: `nightly-report-${stage}`,
  runtime: Runtime.NODEJS_24_X,
  handler: 'index.handler',
  code: Code.fromInline('exports.handler = async ({ day }) => ({ day, rows: 3 });'),
});

const punctual = new Punctual(stack, 'Jobs', {
  stage,
  tasks: './tasks',
  // Jobs may invoke this function and no other.
  taskEnvironment: { PUNCTUAL_ALLOW_LAMBDA: report.functionName },
});
report.grantInvoke(punctual.workers);

new CfnOutput(stack, 'ReportFunction', { value: report.functionName });
