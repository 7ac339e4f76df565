// The Lambda handler of the API: middy around a router, for API Gateway's HTTP API (payload 2.0). The same handler
// answers locally, behind a small HTTP server.
import middy from '@middy/core';
import httpRouter from '@middy/http-router';
import type { Log } from '../../scheduling/context.ts';
import { operations } from '../contract/contract.ts';
import { methodsOf } from '../contract/endpoint.ts';
import { type Admission, unlimitedAdmission } from './admission.ts';
import { principalOf } from './auth.ts';
import { conditional } from './conditional-get.ts';
import { createCors } from './cors.ts';
import type { ApiHandler, HttpEvent, HttpResponse } from './http-event.ts';
import { problemOf } from './problem.ts';
import { MethodNotAllowed, UnknownRoute } from './request-errors.ts';
import { requestIdOf } from './request-id.ts';
import { type Route, respond } from './route.ts';

/** Answers are one user's data, and JSON. The documentation's page and files have headers of their own. */
const PROTECTION = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' };

export interface ApiOptions {
  readonly log: Log;
  /** The name of the group whose members are operators. */
  readonly operatorsGroup: string;
  /** From where browsers may call. Default: from nowhere else. */
  readonly corsOrigins?: readonly string[];
  /** Refuses writes that the store could not take. Default: takes them all. */
  readonly admission?: Admission;
  /** Stands in for API Gateway's authorizer: fills in the claims, or throws Unauthorized. */
  authorize?(event: HttpEvent): Promise<void>;
}

export function createApi(
  routes: readonly Route[],
  { log, authorize, operatorsGroup, corsOrigins = [], admission = unlimitedAdmission }: ApiOptions,
): ApiHandler {
  const cors = createCors(corsOrigins, operations);
  const router = httpRouter<HttpEvent, HttpResponse>({
    routes: routes.map(({ operation, respond }) => ({
      method: operation.method,
      path: operation.path,
      async handler(event: HttpEvent) {
        if (!operation.auth) return respond(event, undefined);
        // refused before the token is verified and the body parsed: a refusal must be cheap
        const admitted = operation.service === 'scheduler' ? admission : unlimitedAdmission;
        return admitted(operation.id, async () => {
          await authorize?.(event);
          return respond(event, principalOf(event, operatorsGroup));
        });
      },
    })),
    notFoundResponse({ method, path }) {
      const allowed = methodsOf(operations, path);
      throw allowed.length > 0 ? new MethodNotAllowed(method, path, allowed) : new UnknownRoute(path);
    },
  });

  const withHeaders = (event: HttpEvent, response: HttpResponse): HttpResponse => ({
    ...response,
    headers: {
      ...PROTECTION,
      ...cors.headers(event),
      ...response.headers,
      'x-request-id': requestIdOf(event),
    },
  });

  const handler = middy<HttpEvent, HttpResponse>(router)
    .before(({ event }) => {
      const answer = cors.preflight(event);
      return answer && withHeaders(event, answer);
    })
    .after((request) => {
      if (request.response)
        request.response = withHeaders(request.event, conditional(request.event, request.response));
    })
    .onError((request) => {
      const { http } = request.event.requestContext;
      const requestId = requestIdOf(request.event);
      const { problem, headers, unexpected } = problemOf(request.error, requestId);
      if (unexpected) {
        log.error('a request failed', {
          // an outage fails every request: those lines are limited, and the answer does not name the log
          ...(problem.status === 503 ? { firstRequestId: requestId } : { requestId }),
          method: http.method,
          path: http.path,
          error: request.error,
        });
      }
      const response = respond(problem.status, { body: problem, headers }, 'application/problem+json');
      request.response = withHeaders(request.event, response);
    });

  return (event, context = {}) => handler(event, context as Parameters<typeof handler>[1]);
}
