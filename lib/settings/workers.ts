// The settings of the workers: their size and their number.
import { z } from 'zod';
import { count } from './shapes.ts';

export const workers = {
  /**
   * CPU units of a worker; 1024 are one vCPU.
   * @default 1024
   */
  workerCpu: z.literal([256, 512, 1024, 2048, 4096, 8192, 16384]).default(1024),
  /**
   * Memory of a worker in MiB; what Fargate has for that much CPU.
   * @default 2048
   */
  workerMemory: count(512, 122_880).default(2048),
  /**
   * Tasks that a worker runs at once.
   * @default 100
   */
  workerConcurrency: count(1, 10_000).default(100),
  /**
   * Workers that always run. Two, in two zones: the loss of one delays nothing.
   * @default 2
   */
  minWorkers: count(1, 1000).default(2),
  /**
   * Workers at most.
   * @default 20
   */
  maxWorkers: count(1, 5000).default(20),
  /**
   * The longest that a worker with long jobs stays protected from scale-in and deployments without a break, in minutes.
   * After it a deployment may stop the worker: jobs that still run then are run again by another. CloudFormation gives up on
   * a service update after about 3 hours, so 165 is the most.
   * @default 120
   */
  maxProtectionMinutes: count(1, 165).default(120),
  /**
   * The part of the workers beyond the first that runs on Spot: 0 (none) to 1 (all, the first too).
   * @default 0
   */
  spotShare: z.number().min(0).max(1).default(0),
  /**
   * Executions that one worker starts in a second: what the number of workers is computed with. Measure yours.
   * @default 100
   */
  executionsPerWorker: count(1, 10_000).default(100),
};
