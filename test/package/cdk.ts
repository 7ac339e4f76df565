// The construct of the installed package: `cdk synth` of examples/cdk-app, and the files that it deploys.
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Checks, expect, expectEqual } from './checks.ts';
import { type Consumer, ROOT } from './consumer.ts';
import { output, run } from './processes.ts';

const FUNCTIONS = ['scheduler', 'query', 'docs', 'ingest', 'watcher', 'notifier', 'console'];
const QUEUE = 'http://127.0.0.1:9/queue';

/** Required variables without a default. No call is made. */
const VARIABLES = {
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'none',
  AWS_SECRET_ACCESS_KEY: 'none',
  PUNCTUAL_PREFIX: 'package-',
  ...Object.fromEntries(
    ['DEAD_LETTER', 'INGEST', 'INGEST_DEAD_LETTER', 'NOTIFY', 'NOTIFY_DEAD_LETTER'].map((name) => [
      `PUNCTUAL_${name}_URL`,
      QUEUE,
    ]),
  ),
  PUNCTUAL_QUEUE_URLS: QUEUE,
  PUNCTUAL_CONSOLE_ISSUER: 'http://127.0.0.1:9/',
  PUNCTUAL_CONSOLE_CLIENT_ID: 'console',
  PUNCTUAL_OPERATORS_GROUP: 'punctual-operators',
};

interface Template {
  readonly Resources: Record<string, { readonly Type: string; readonly Properties: Record<string, unknown> }>;
}

export async function cdkChecks(checks: Checks, consumer: Consumer): Promise<void> {
  const app = consumer.file('cdk-app');
  const out = join(app, 'cdk.out');
  const synth = () =>
    run(
      process.execPath,
      [
        join(ROOT, 'node_modules/aws-cdk/bin/cdk'),
        ...['synth', '--quiet', '--no-version-reporting', '--no-notices', '--output', out],
        ...['--app', `${process.execPath} app.ts`],
      ],
      { cwd: app, env: { CI: 'true' } },
    );
  let assets: string[] = [];

  await checks.run('cdk synth without esbuild says how to install it', async () => {
    const { code, err } = await synth();
    expect(code !== 0 && err.includes('npm install --save-dev esbuild'), () => `${code}: ${err}`);
  });
  await checks.run('cdk synth of examples/cdk-app, with a custom task', async () => {
    consumer.addPeer('esbuild');
    const { code, err, out: printed } = await synth();
    expect(code === 0, () => `${code}: ${err}${printed}`);
    const { Resources } = JSON.parse(
      readFileSync(join(out, 'reports-dev.template.json'), 'utf8'),
    ) as Template;
    const count = (type: string) => Object.values(Resources).filter(({ Type }) => Type === type).length;
    expectEqual(
      [count('AWS::Lambda::Function'), count('AWS::DynamoDB::Table'), count('AWS::ECS::Service')],
      [FUNCTIONS.length + 1, 4, 1],
    );
    assets = readdirSync(out).filter((name) => name.startsWith('asset.'));
    return `${Object.keys(Resources).length} resources`;
  });

  const withFile = (name: string) => assets.filter((asset) => existsSync(join(out, asset, name)));
  await checks.run(
    'every function and the worker have their files, and those that need it the custom task',
    () => {
      expectEqual(withFile('index.mjs').length, FUNCTIONS.length);
      const tasks = [
        ...withFile('custom-tasks.mjs').map((asset) => join(out, asset)),
        appOf(out, assets),
      ].map((folder) => readFileSync(join(folder, 'custom-tasks.mjs'), 'utf8').includes('archive-orders'));
      expectEqual(tasks, [true, true, true, true]);
      const runtime = consumer.file('node_modules/punctual/dist/runtime');
      expect(existsSync(join(runtime, 'Dockerfile.scripts')), () => 'the image of scripts has no Dockerfile');
    },
  );
  for (const asset of withFile('index.mjs'))
    await checks.run(`a function starts from its files alone (${asset.slice(0, 14)})`, async () => {
      const folder = consumer.file('alone', asset);
      cpSync(join(out, asset), folder, { recursive: true });
      const code =
        "const { handler } = await import('./index.mjs'); console.log(typeof handler); process.exit(0);";
      const args = ['--input-type=module', '--eval', code];
      expectEqual((await output(process.execPath, args, { cwd: folder, env: VARIABLES })).trim(), 'function');
      return `${readdirSync(folder).length} files`;
    });
  await checks.run('the query function lists the custom task', async () => {
    const [asset = ''] = withFile('index.mjs').filter((one) =>
      readFileSync(join(out, one, 'index.mjs'), 'utf8').includes('query.lambda'),
    );
    const code = `const { handler } = await import('./index.mjs');
      const event = ${JSON.stringify(listTasks)};
      const { statusCode, body } = await handler(event, { awsRequestId: '1', getRemainingTimeInMillis: () => 30000 });
      const names = JSON.parse(body).items.map(({ name }) => name);
      console.log('\\n' + JSON.stringify([statusCode, names.includes('archive-orders')])); process.exit(0);`;
    const args = ['--input-type=module', '--eval', code];
    const printed = await output(process.execPath, args, {
      cwd: consumer.file('alone', asset),
      env: VARIABLES,
    });
    expectEqual(JSON.parse(printed.trim().split('\n').at(-1) ?? ''), [200, true]);
  });
  await checks.run('the console function has the files of the console', () => {
    const [asset = ''] = withFile('console/index.html');
    const files = readdirSync(join(out, asset, 'console/assets'));
    expect(files.length > 1 && files.every((name) => name.endsWith('.br')), () => files.join());
    return `${files.length} assets`;
  });
  await checks.run('the worker starts from its files alone', async () => {
    const folder = consumer.file('alone/worker');
    cpSync(appOf(out, assets), folder, { recursive: true });
    // A wrong variable ends it after all of its modules are loaded, and before it calls anything.
    const env = { ...VARIABLES, PUNCTUAL_CONCURRENCY: 'many' };
    const { code, err, out: printed } = await run(process.execPath, ['index.mjs'], { cwd: folder, env });
    expect(code === 1 && (err + printed).includes('PUNCTUAL_CONCURRENCY'), () => `${code}: ${err}${printed}`);
  });
}

/** The program in the folder of the worker's image. */
const appOf = (out: string, assets: readonly string[]): string => {
  const asset = assets.find((one) => existsSync(join(out, one, 'app/index.mjs')));
  if (asset === undefined) throw new Error('no asset has the program of the worker');
  return join(out, asset, 'app');
};

/** The event of API Gateway for GET /tasks. */
const listTasks = {
  version: '2.0',
  rawPath: '/tasks',
  rawQueryString: '',
  headers: {},
  isBase64Encoded: false,
  requestContext: {
    http: { method: 'GET', path: '/tasks' },
    requestId: '1',
    authorizer: { jwt: { claims: { sub: 'me' } } },
  },
};
