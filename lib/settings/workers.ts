// The settings of the workers: size, number and Spot share.
import { z } from 'zod';
import { count } from './shapes.ts';

export const workers = {
  /**
   * The CPU units of a worker. 1024 units are one vCPU.
   * @default 1024
   */
  workerCpu: z.literal([256, 512, 1024, 2048, 4096, 8192, 16384]).default(1024),
  /**
   * The memory of a worker in MiB. Fargate has a range for each `workerCpu`.
   * @default 2048
   */
  workerMemory: count(512, 122_880).default(2048),
  /**
   * The maximum number of tasks that a worker runs concurrently.
   * @default 100
   */
  workerConcurrency: count(1, 10_000).default(100),
  /**
   * The largest share of a worker's run slots that one owner alone may use, from 0.1 to 1. With 1, one owner may use all of them.
   * @default 0.8
   */
  ownerShare: z.number().min(0.1).max(1).default(0.8),
  /**
   * The minimum number of workers. With two, in two zones, the loss of one delays nothing.
   * @default 2
   */
  minWorkers: count(1, 1000).default(2),
  /**
   * The maximum number of workers.
   * @default 20
   */
  maxWorkers: count(1, 5000).default(20),
  /**
   * The maximum time that a worker with long jobs stays protected from scale-in and deployments, in minutes. After it, a
   * deployment may stop the worker, and another worker runs its jobs again. The maximum is 165, because CloudFormation
   * times out a service update after about 3 hours.
   * @default 120
   */
  maxProtectionMinutes: count(1, 165).default(120),
  /**
   * The share of workers on Spot capacity, from 0 to 1. Below 1, the first worker runs on demand.
   * @default 0
   */
  spotShare: z.number().min(0).max(1).default(0),
  /**
   * The executions that one worker starts per second. Scaling computes the number of workers with it, so measure yours.
   * @default 100
   */
  executionsPerWorker: count(1, 10_000).default(100),
};
