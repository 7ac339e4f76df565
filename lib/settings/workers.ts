// The settings of the workers: size, number and Spot share.
import { z } from 'zod';
import { count } from './shapes.ts';

export const workers = {
  workerCpu: z.literal([256, 512, 1024, 2048, 4096, 8192, 16384]).default(1024),
  workerMemory: count(512, 122_880).default(2048),
  workerConcurrency: count(1, 10_000).default(100),
  ownerShare: z.number().min(0.1).max(1).default(0.8),
  minWorkers: count(1, 1000).default(2),
  maxWorkers: count(1, 5000).default(20),
  maxProtectionMinutes: count(1, 165).default(120),
  spotShare: z.number().min(0).max(1).default(0),
  executionsPerWorker: count(1, 10_000).default(100),
};
