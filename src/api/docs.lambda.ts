// The documentation, and the answer to unknown paths. The function has no rights and calls nothing, so that a flood of requests without
// a token occupies nothing that others need.
import { Logger } from '@aws-lambda-powertools/logger';
import { z } from 'zod';
import { readConfig } from '../runtime/config.ts';
import { logTo } from '../runtime/log.ts';
import { docsRoutes } from './handlers/docs-routes.ts';
import { consoleRedirect } from './http/console-redirect.ts';
import { createApi } from './http/handler.ts';
import type { HttpEvent } from './http/http-event.ts';

/** `off`: the page `/docs` is left out. */
const { PUNCTUAL_DOCS: page } = readConfig(
  z.object({ PUNCTUAL_DOCS: z.literal(['on', 'off']).default('on') }),
  process.env,
);
const api = createApi(docsRoutes({ page: page === 'on' }), {
  log: logTo(new Logger({ serviceName: 'punctual-docs' })),
  // no route needs a token
  operatorsGroup: '',
});

export const handler = async (event: HttpEvent, context: object) =>
  consoleRedirect(event) ?? api(event, context);
