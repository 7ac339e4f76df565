// The REST API, and the consumer of the ingest queue. Every operation of the contract has a route to the Lambda of its
// service. API Gateway validates the tokens or the signatures. The console is behind the same API, without a token.
import { Duration } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  type CfnRoute,
  type CfnStage,
  CorsHttpMethod,
  DomainName,
  HttpApi,
  HttpMethod,
  HttpNoneAuthorizer,
  HttpRoute,
  HttpRouteKey,
  HttpStage,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpIamAuthorizer, HttpJwtAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Function as Lambda } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { ARecord, HostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { ApiGatewayv2DomainProperties } from 'aws-cdk-lib/aws-route53-targets';
import { Construct } from 'constructs';
import { operations } from '../../src/api/contract/contract.ts';
import type { Service } from '../../src/api/contract/endpoint.ts';
import { INGEST_QUEUE } from '../../src/queue/sqs/queue-attributes.ts';
import { Identity } from '../access/identity.ts';
import { grantKeyUse, grantSend } from '../access/queue-permissions.ts';
import type { Queues } from '../data/queues.ts';
import type { Storage } from '../data/storage.ts';
import { createLogGroup } from '../operations/logs.ts';
import { hasConsole } from '../settings/has-console.ts';
import type { DeploymentSettings } from '../settings/settings.ts';
import { CONSOLE_FILES, CONSOLE_ROUTES, Console } from './console.ts';
import { type Environment, prefixOf, stackSuffix } from './environment.ts';
import { createFunction } from './function.ts';

export interface ApiProps {
  /** Uses the settings of the API: issuer, domain, throttling and CORS. */
  readonly settings: DeploymentSettings;
  readonly storage: Storage;
  readonly queues: Queues;
  /**
   * The key that encrypts tables and queues.
   * @default - keys that AWS owns
   */
  readonly encryptionKey?: IKey;
  /** The environment variables of all runtimes. */
  readonly environment: Environment;
}

/** The function answers before, at its own deadline (src/api/request-bounds.ts). */
const API_TIMEOUT = Duration.seconds(10);
/** The documentation is read from memory. */
const DOCS_TIMEOUT = Duration.seconds(10);
/** A request for a file takes milliseconds, so this is far more than the throttle of its routes lets through. */
const DOCS_CONCURRENCY = 10;

/** The routes without a token. Each has its own throttle, because anybody can call it. */
const OPEN_THROTTLE = { rate: 20, burst: 40 };
/** A page of the console loads dozens of files at once. */
const FILES_THROTTLE = { rate: 50, burst: 200 };
/** The operations that `docs: false` leaves out. */
const PAGE = ['docs', 'docsFile'];
/** AWS recommends a visibility timeout of six times the function's timeout. */
const VISIBILITY_PER_TIMEOUT = 6;

/** A route as IAM knows it. Both parts may have wildcards. */
export interface Route {
  readonly method: string;
  readonly path: string;
}

export class Api extends Construct {
  readonly functions: Readonly<Record<'scheduler' | 'query' | 'ingest', Lambda>>;
  /** Answers what needs no token. It has no alarm, because anybody could raise it. */
  readonly docs: Lambda;
  readonly httpApi: HttpApi;
  readonly stage: HttpStage;
  readonly identity: Identity;
  /** Undefined if `domainName` is not set. */
  readonly domain?: DomainName;
  /** Undefined if `console` is off. */
  readonly console?: Console;

  constructor(scope: Construct, id: string, props: ApiProps) {
    super(scope, id);
    const { settings, storage, queues, encryptionKey, environment } = props;
    const common = { settings, storage, encryptionKey };
    const reservedConcurrency =
      settings.apiReservedConcurrency === 0 ? undefined : settings.apiReservedConcurrency;

    this.functions = {
      scheduler: createFunction(this, 'Scheduler', {
        ...common,
        entry: 'scheduler',
        description: 'API operations that write',
        timeout: API_TIMEOUT,
        reservedConcurrency,
        environment: { ...environment, PUNCTUAL_INGEST_URL: queues.ingest.queueUrl },
      }),
      query: createFunction(this, 'Query', {
        ...common,
        entry: 'query',
        description: 'API operations that read',
        timeout: API_TIMEOUT,
        reservedConcurrency,
        environment,
      }),
      ingest: createFunction(this, 'IngestConsumer', {
        ...common,
        entry: 'ingest',
        description: 'creates the jobs of the ingest queue',
        timeout: Duration.seconds(INGEST_QUEUE.visibilitySeconds / VISIBILITY_PER_TIMEOUT),
        environment: {
          ...environment,
          PUNCTUAL_INGEST_DEAD_LETTER_URL: queues.ingestDeadLetters.queueUrl,
        },
      }),
    };
    this.docs = createFunction(this, 'Docs', {
      ...common,
      entry: 'docs',
      description: 'serves the API documentation, and answers unknown paths',
      timeout: DOCS_TIMEOUT,
      environment: settings.docs ? {} : { PUNCTUAL_DOCS: 'off' },
      reservedConcurrency: settings.apiReservedConcurrency === 0 ? undefined : DOCS_CONCURRENCY,
    });
    const { scheduler, query, ingest } = this.functions;
    grantSend(scheduler, [...queues.work, queues.ingest, queues.notify]);
    grantSend(ingest, [...queues.work, queues.ingestDeadLetters]);
    for (const lambda of [scheduler, query, ingest]) grantKeyUse(lambda, encryptionKey);
    ingest.addEventSource(
      new SqsEventSource(queues.ingest, { batchSize: 10, reportBatchItemFailures: true, maxConcurrency: 10 }),
    );

    this.identity = new Identity(this, 'Identity', { settings });
    this.domain = this.#domain(settings);
    this.httpApi = this.#httpApi(settings);
    // The client of the console refers to the API for its address, and the authorizer to the client. The API itself refers to
    // neither, so the references form no circle.
    if (hasConsole(settings)) {
      const { identity, url: baseUrl } = this;
      this.console = new Console(this, 'Console', { settings, storage, encryptionKey, identity, baseUrl });
    }
    const openRoutes = this.#addRoutes(settings);
    this.stage = this.#stage(settings, openRoutes, encryptionKey);
  }

  /** The base URL: that of the custom domain, or the one that API Gateway generates. */
  get url(): string {
    return this.domain ? `https://${this.domain.name}` : this.httpApi.apiEndpoint;
  }

  #domain({ domainName, certificateArn, hostedZoneId, hostedZoneName }: DeploymentSettings) {
    if (domainName === undefined || certificateArn === undefined) return undefined;
    const domain = new DomainName(this, 'Domain', {
      domainName,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
    });
    if (hostedZoneId !== undefined && hostedZoneName !== undefined) {
      new ARecord(this, 'DomainRecord', {
        zone: HostedZone.fromHostedZoneAttributes(this, 'Zone', { hostedZoneId, zoneName: hostedZoneName }),
        recordName: domainName,
        target: RecordTarget.fromAlias(
          new ApiGatewayv2DomainProperties(domain.regionalDomainName, domain.regionalHostedZoneId),
        ),
      });
    }
    return domain;
  }

  /** Lets the query service show log lines and counts of executions. */
  showTelemetryOf(workers: ILogGroup): void {
    const { query } = this.functions;
    query.addEnvironment('PUNCTUAL_WORKER_LOG_GROUP', workers.logGroupName);
    query.addToRolePolicy(
      new PolicyStatement({ actions: ['logs:FilterLogEvents'], resources: [workers.logGroupArn] }),
    );
    // CloudWatch metrics have no resources that a permission could name.
    query.addToRolePolicy(new PolicyStatement({ actions: ['cloudwatch:GetMetricData'], resources: ['*'] }));
  }

  /** Lets the grantee call the API with signed requests, with `authorization: iam`. By default all routes. */
  grantInvoke(grantee: IGrantable, routes: readonly Route[] = [{ method: '*', path: '/*' }]): void {
    const stage = '$default';
    grantee.grantPrincipal.addToPrincipalPolicy(
      new PolicyStatement({
        actions: ['execute-api:Invoke'],
        resources: routes.map(({ method, path }) => this.httpApi.arnForExecuteApi(method, path, stage)),
      }),
    );
  }

  #httpApi({ stage, corsOrigins }: DeploymentSettings): HttpApi {
    return new HttpApi(this, 'HttpApi', {
      apiName: `punctual-${stage}`,
      description: 'The API of the job scheduler Punctual',
      createDefaultStage: false,
      // Callers of the generated address would bypass protections of the domain, such as mutual TLS.
      disableExecuteApiEndpoint: this.domain !== undefined,
      // API Gateway answers preflight requests itself, without a Lambda.
      corsPreflight: corsOrigins && {
        allowOrigins: [...corsOrigins],
        allowMethods: [...new Set(operations.map(({ method }) => CorsHttpMethod[method]))],
        allowHeaders: [
          'authorization',
          'content-type',
          'idempotency-key',
          'if-match',
          'if-none-match',
          'prefer',
          'x-request-id',
        ],
        exposeHeaders: ['etag', 'location', 'x-request-id'],
        maxAge: Duration.hours(1),
      },
    });
  }

  /** Returns the routes without a token. */
  #addRoutes(settings: DeploymentSettings): HttpRoute[] {
    const { httpApi: api, console } = this;
    const { issuer, audience } = this.identity;
    const authorizer =
      issuer === undefined
        ? new HttpIamAuthorizer()
        : new HttpJwtAuthorizer('Tokens', issuer, { jwtAudience: [...audience] });
    const integrations: Record<Service, HttpLambdaIntegration> = {
      scheduler: new HttpLambdaIntegration('Scheduler', this.functions.scheduler),
      query: new HttpLambdaIntegration('Query', this.functions.query),
      docs: new HttpLambdaIntegration('Docs', this.docs),
    };
    const open: HttpRoute[] = [];
    for (const { id, method, path, service, auth } of operations) {
      if (!settings.docs && PAGE.includes(id)) continue;
      const routes = api.addRoutes({
        path,
        methods: [HttpMethod[method]],
        integration: integrations[service],
        authorizer: auth ? authorizer : new HttpNoneAuthorizer(),
      });
      if (!auth) open.push(...routes);
    }
    if (console) {
      const integration = new HttpLambdaIntegration('Console', console.lambda);
      for (const path of CONSOLE_ROUTES)
        open.push(
          ...api.addRoutes({
            path,
            methods: [HttpMethod.GET],
            integration,
            authorizer: new HttpNoneAuthorizer(),
          }),
        );
    }
    // An unknown path gets a problem document like every other error, instead of API Gateway's own 404.
    const unknown = new HttpRoute(api, 'Unknown', {
      httpApi: api,
      routeKey: HttpRouteKey.DEFAULT,
      integration: integrations.docs,
      authorizer: new HttpNoneAuthorizer(),
    });
    return [...open, unknown];
  }

  #stage(settings: DeploymentSettings, openRoutes: readonly HttpRoute[], encryptionKey?: IKey): HttpStage {
    const accessLogs = createLogGroup(this, 'AccessLogs', {
      settings,
      encryptionKey,
      // API Gateway adds groups outside /aws/vendedlogs to a resource policy of the account, which is limited to 5,120
      // characters.
      logGroupName: `/aws/vendedlogs/${prefixOf(settings)}api-access-${stackSuffix(this)}`,
    });
    const stage = new HttpStage(this, 'Stage', {
      httpApi: this.httpApi,
      stageName: '$default',
      autoDeploy: true,
      throttle: { rateLimit: settings.apiRequestsPerSecond, burstLimit: settings.apiBurst },
      detailedMetricsEnabled: true,
      domainMapping: this.domain && { domainName: this.domain },
      accessLogSettings: {
        destination: new LogGroupLogDestination(accessLogs),
        format: AccessLogFormat.custom(JSON.stringify(accessLog(settings))),
      },
    });
    (stage.node.defaultChild as CfnStage).routeSettings = Object.fromEntries(
      openRoutes.map((route) => {
        const { routeKey } = route.node.defaultChild as CfnRoute;
        const { rate, burst } = routeKey === CONSOLE_FILES ? FILES_THROTTLE : OPEN_THROTTLE;
        const throttle = {
          ThrottlingRateLimit: Math.min(rate, settings.apiRequestsPerSecond),
          ThrottlingBurstLimit: Math.min(burst, settings.apiBurst),
        };
        return [routeKey, { ...throttle, DetailedMetricsEnabled: true }];
      }),
    );
    // API Gateway refuses settings of a route that does not exist yet.
    stage.node.addDependency(...openRoutes);
    return stage;
  }
}

/** The fields of an access log line. Tokens and bodies are never logged. */
const accessLog = ({ authorization }: DeploymentSettings) => ({
  requestId: '$context.requestId',
  time: '$context.requestTime',
  ip: '$context.identity.sourceIp',
  user: authorization === 'iam' ? '$context.identity.userArn' : '$context.authorizer.claims.sub',
  route: '$context.routeKey',
  path: '$context.path',
  status: '$context.status',
  responseBytes: '$context.responseLength',
  latencyMs: '$context.responseLatency',
  integrationLatencyMs: '$context.integrationLatency',
  error: '$context.error.message',
  authorizerError: '$context.authorizer.error',
});
