// The operations of the API on schedules, tasks, workers and the service itself.
import { z } from 'zod';
import { scheduleSchema } from '../../domain/schedule/schedule-schema.ts';
import { operation } from './endpoint.ts';
import { instant } from './request-schemas.ts';
import { previewShape, taskShape, workerShape } from './response-schemas.ts';

export const MAX_PREVIEWED = 1000;

export const service = {
  previewSchedule: operation({
    id: 'previewSchedule',
    service: 'query',
    method: 'POST',
    path: '/schedules/preview',
    summary: 'Preview the next times of a schedule, with a description and warnings',
    description:
      'A valid schedule that never fires has no times and a warning. The times do not include jitter.',
    auth: true,
    body: z.strictObject({
      schedule: scheduleSchema,
      count: z.int().min(1).max(MAX_PREVIEWED).default(10).describe('maximum number of times'),
      after: instant.optional().describe('only times after this one; default: now'),
    }),
    success: { status: 200, description: 'The preview.', body: previewShape },
    errors: [],
  }),
  listTasks: operation({
    id: 'listTasks',
    service: 'query',
    method: 'GET',
    path: '/tasks',
    summary: 'List the tasks with the JSON Schema of their params',
    auth: true,
    success: { status: 200, description: 'All tasks.', body: z.strictObject({ items: z.array(taskShape) }) },
    errors: [],
  }),
  listWorkers: operation({
    id: 'listWorkers',
    service: 'query',
    method: 'GET',
    path: '/workers',
    summary: 'List the live workers and their running executions (operators only)',
    description: 'Users who are not operators get 403.',
    auth: true,
    success: {
      status: 200,
      description: 'All live workers.',
      body: z.strictObject({ items: z.array(workerShape) }),
    },
    errors: [403],
  }),
  health: operation({
    id: 'health',
    service: 'scheduler',
    method: 'GET',
    path: '/health',
    summary: 'Check that the store can be read and written',
    description:
      'The result is cached for 5 seconds. The detail of a 503 names what fails: reads, writes, or the clock of the machine.',
    auth: false,
    success: {
      status: 200,
      description: 'The store can be read and written.',
      body: z.strictObject({ status: z.literal('ok') }),
    },
    errors: [],
  }),
  openapi: operation({
    id: 'openapi',
    service: 'docs',
    method: 'GET',
    path: '/openapi.json',
    summary: 'Get this OpenAPI document',
    auth: false,
    success: {
      status: 200,
      description: 'The OpenAPI 3.1 document.',
      body: z.looseObject({ openapi: z.string() }),
    },
    errors: [],
  }),
  docs: operation({
    id: 'docs',
    service: 'docs',
    method: 'GET',
    path: '/docs',
    summary: 'Show the API documentation',
    auth: false,
    success: { status: 200, description: 'An HTML page.', contentType: 'text/html; charset=utf-8' },
    errors: [],
  }),
  docsFile: operation({
    id: 'docsFile',
    service: 'docs',
    method: 'GET',
    path: '/docs/{file}',
    summary: 'Get a script or style sheet of the documentation',
    auth: false,
    params: z.strictObject({ file: z.string().regex(/^[\w-]+\.(js|css)$/) }),
    success: { status: 200, description: 'A script or style sheet.', contentType: '*/*' },
    errors: [],
  }),
};
