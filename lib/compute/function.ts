// Creates a Lambda function: bundled without Docker, on Node 24 and Graviton, with its own log group and role.
import { AssetHashType, DockerImage, type Duration, Stack } from 'aws-cdk-lib';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Architecture, Code, Function as Lambda, Runtime, Tracing } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { type RoleName, tableStatements } from '../access/permissions.ts';
import { writeDeployedFiles } from '../bundling/deployed-files.ts';
import { type Entry, HANDLER, ROOT } from '../bundling/entries.ts';
import type { Storage } from '../data/storage.ts';
import { createLogGroup } from '../operations/logs.ts';
import type { DeploymentSettings } from '../settings/settings.ts';

export interface FunctionProps {
  /** The program, and the role whose permissions on the tables it gets. */
  readonly entry: Entry & RoleName;
  readonly description: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly settings: DeploymentSettings;
  readonly storage: Storage;
  /**
   * The key that encrypts the log group.
   * @default - a key that AWS owns
   */
  readonly encryptionKey?: IKey;
  readonly timeout: Duration;
  /**
   * @default - none reserved: the function shares the concurrency of the account
   */
  readonly reservedConcurrency?: number;
}

/**
 * The functions that start with a request. The watcher is not traced, because the SDK passes its trace on to SQS and all
 * executions of a pass would become one trace.
 */
const TRACED: readonly Entry[] = ['scheduler', 'query', 'ingest'];

/** CPU grows with memory. A cold start at 1 GB takes half as long as at 512 MB, for the same price. */
const MEMORY_MB = 1024;

export function createFunction(scope: Construct, id: string, props: FunctionProps): Lambda {
  const { entry, settings, storage } = props;
  const logGroup = createLogGroup(scope, `${id}Logs`, { settings, encryptionKey: props.encryptionKey });
  const role = new Role(scope, `${id}Role`, {
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    description: `Punctual ${settings.stage}: ${props.description}`,
  });
  role.addToPolicy(
    new PolicyStatement({
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      resources: [logGroup.logGroupArn],
    }),
  );
  for (const statement of tableStatements(storage, entry)) role.addToPolicy(statement);
  return new Lambda(scope, id, {
    description: props.description,
    runtime: Runtime.NODEJS_24_X,
    architecture: Architecture.ARM_64,
    handler: HANDLER,
    code: codeOf(scope, entry, settings.tasks),
    memorySize: MEMORY_MB,
    timeout: props.timeout,
    reservedConcurrentExecutions: props.reservedConcurrency,
    environment: { ...props.environment, NODE_OPTIONS: '--enable-source-maps' },
    role,
    logGroup,
    tracing: settings.tracing && TRACED.includes(entry) ? Tracing.ACTIVE : undefined,
  });
}

/** The hash is that of the bundle. A change of sources that does not change this bundle does not deploy the function. */
function codeOf(scope: Construct, entry: Entry, tasks: string | undefined): Code {
  if (!Stack.of(scope).bundlingRequired) return Code.fromInline('// not bundled');
  return Code.fromAsset(ROOT, {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // Required by CDK, never pulled: `local` bundles without Docker.
      image: DockerImage.fromRegistry('none'),
      // CDK distinguishes bundles of the same folder by this command.
      command: [entry, tasks ?? ''],
      local: {
        tryBundle(folder) {
          writeDeployedFiles(entry, folder, tasks);
          return true;
        },
      },
    },
  });
}
