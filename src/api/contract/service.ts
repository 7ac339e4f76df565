// What the API says about schedules, tasks, workers and itself.
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
    summary: 'When a schedule fires next, in words too, and what to know about it',
    description:
      'A schedule that is well formed and never fires has no times and a warning. Times are the nominal ones, without jitter.',
    auth: true,
    body: z.strictObject({
      schedule: scheduleSchema,
      count: z.int().min(1).max(MAX_PREVIEWED).default(10),
      after: instant.optional().describe('only later ones; default: now'),
    }),
    success: { status: 200, description: 'The preview', body: previewShape },
    errors: [],
  }),
  listTasks: operation({
    id: 'listTasks',
    service: 'query',
    method: 'GET',
    path: '/tasks',
    summary: 'The registered tasks with the JSON Schema of their params',
    auth: true,
    success: { status: 200, description: 'All tasks', body: z.strictObject({ items: z.array(taskShape) }) },
    errors: [],
  }),
  listWorkers: operation({
    id: 'listWorkers',
    service: 'query',
    method: 'GET',
    path: '/workers',
    summary: 'For operators: live workers, what they run, since when',
    description: 'Other users are refused with 403.',
    auth: true,
    success: {
      status: 200,
      description: 'All live workers',
      body: z.strictObject({ items: z.array(workerShape) }),
    },
    errors: [403],
  }),
  health: operation({
    id: 'health',
    service: 'scheduler',
    method: 'GET',
    path: '/health',
    summary: 'Whether reads and writes of the store work',
    description:
      'The result is kept for 5 seconds. 503 names what fails: reads, writes, both, or the clock of the machine.',
    auth: false,
    success: { status: 200, description: 'They work', body: z.strictObject({ status: z.literal('ok') }) },
    errors: [],
  }),
  openapi: operation({
    id: 'openapi',
    service: 'query',
    method: 'GET',
    path: '/openapi.json',
    summary: 'This description',
    auth: false,
    success: {
      status: 200,
      description: 'OpenAPI 3.1',
      body: z.looseObject({ openapi: z.string() }),
    },
    errors: [],
  }),
  docs: operation({
    id: 'docs',
    service: 'query',
    method: 'GET',
    path: '/docs',
    summary: 'This description as a page',
    auth: false,
    success: { status: 200, description: 'A page', contentType: 'text/html; charset=utf-8' },
    errors: [],
  }),
  docsFile: operation({
    id: 'docsFile',
    service: 'query',
    method: 'GET',
    path: '/docs/{file}',
    summary: 'What the page is made of',
    auth: false,
    params: z.strictObject({ file: z.string().regex(/^[\w-]+\.(js|css)$/) }),
    success: { status: 200, description: 'A script or a style sheet', contentType: '*/*' },
    errors: [],
  }),
};
