// An estimate of what a run of `npm run test:account` uses, and of its cost in us-east-1. The workers run anyway.
import { PER_EXECUTION, PRICES } from '../../tools/capacity.ts';
import { table } from '../deploy/report.ts';

/** Estimates, which no run has counted. Most requests are reads that wait for an execution. */
const USED = {
  requests: 5_000,
  /** Lambda at 1 GB. Most requests take less than 50 ms. */
  secondsPerRequest: 0.1,
  readsPerRequest: 5,
  executions: 100,
  /** A job that is created writes a definition, a record of the change, entries, the head, and its index. */
  writesPerJob: 10,
  jobs: 40,
  users: 3,
};

/** Of API Gateway, per request, and of Cognito Essentials, per monthly active user. The first 10,000 users are free. */
const REQUEST_PRICE = 1e-6;
const USER_PRICE = 0.015;

export function estimate(): {
  readonly lines: readonly (readonly [string, string])[];
  readonly dollars: number;
} {
  const { requests, executions, jobs, users } = USED;
  const writes = executions * PER_EXECUTION.writeUnits + jobs * USED.writesPerJob;
  const reads = executions * PER_EXECUTION.readUnits + requests * USED.readsPerRequest;
  const parts: [what: string, dollars: number][] = [
    [`${requests} requests of API Gateway`, requests * REQUEST_PRICE],
    [
      `${requests * USED.secondsPerRequest} GB-seconds of Lambda`,
      requests * USED.secondsPerRequest * PRICES.lambdaGbSecond,
    ],
    [`${writes} write units and ${reads} read units`, writes * PRICES.writeUnit + reads * PRICES.readUnit],
    [`messages of ${executions} executions`, executions * PER_EXECUTION.sqsRequests * PRICES.sqsRequest],
    [`${users} users of Cognito, free below 10,000 a month`, users * USER_PRICE],
  ];
  return {
    lines: parts.map(([what, dollars]) => [what, `$${dollars.toFixed(4)}`] as const),
    dollars: parts.reduce((sum, [, dollars]) => sum + dollars, 0),
  };
}

export function printEstimate(url: string): void {
  const { lines, dollars } = estimate();
  console.log(`This run uses the deployment at ${url}, for about five minutes. It uses, by estimate:`);
  table(['use', 'cost'], [...lines, ['together', `$${dollars.toFixed(2)}`]]);
  console.log(
    '\nThe jobs of the run stay as history until `retentionDays` have passed. Their users are deleted.',
  );
}
