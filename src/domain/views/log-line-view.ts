// A log line of an execution, as the API shows it.
import { z } from 'zod';
import { LINE_LEVELS } from '../executions/log-line.ts';
import { isoTime } from './resource-schemas.ts';

export const logLineShape = z
  .strictObject({
    id: z.string().describe('id of the line, which `cursor` takes to read the lines after it'),
    at: isoTime,
    level: z.enum(LINE_LEVELS),
    message: z.string(),
    attempt: z.int().min(1).describe('number of the attempt that wrote the line'),
    fields: z.record(z.string(), z.unknown()).optional().describe('the fields that the task gave'),
  })
  .meta({
    id: 'LogLine',
    examples: [
      {
        id: '17',
        at: '2026-12-01T10:00:00.213Z',
        level: 'info',
        message: 'imported a row',
        attempt: 1,
        fields: { line: 4711 },
      },
    ],
  });

export type LogLineView = z.infer<typeof logLineShape>;
