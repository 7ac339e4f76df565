// The Lambda handler of the API: middy with a router, for API Gateway's HTTP API (payload 2.0). The local server calls the
// same handler.
import middy from '@middy/core';
import httpRouter from '@middy/http-router';
import { nextSlice, type RequestTurns } from '../../concurrency/request-turns.ts';
import type { Principal } from '../../domain/principal.ts';
import type { SearchLimits } from '../../domain/schedule/search-budget.ts';
import type { Log } from '../../scheduling/context.ts';
import { withSearchBudget } from '../../scheduling/searches.ts';
import { operations } from '../contract/contract.ts';
import { methodsOf } from '../contract/endpoint.ts';
import type { Bounded } from '../request-bounds.ts';
import { type Admission, unlimitedAdmission } from './admission.ts';
import { principalOf } from './auth.ts';
import { conditional } from './conditional-get.ts';
import { createCors } from './cors.ts';
import type { ApiHandler, HttpEvent, HttpResponse } from './http-event.ts';
import { iamPrincipalOf } from './iam.ts';
import { problemOf } from './problem.ts';
import { MethodNotAllowed, UnknownRoute } from './request-errors.ts';
import { requestIdOf } from './request-id.ts';
import { type Route, respond } from './route.ts';

/** Responses hold the data of one user, so they are not cached. The documentation sets its own headers. */
const SECURITY_HEADERS = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' };

export interface ApiOptions {
  readonly log: Log;
  /** Whether callers send tokens or sign their requests. The other kind is refused. Default: tokens. */
  readonly authorization?: 'jwt' | 'iam';
  /** The group whose members are operators. */
  readonly operatorsGroup: string;
  /** The user ids of the roles whose sessions are operators, with `authorization: iam`. */
  readonly operatorRoles?: readonly string[];
  /** The origins that browsers may call from. Default: the same origin only. */
  readonly corsOrigins?: readonly string[];
  /** Admission control of writes. Default: unlimited. */
  readonly admission?: Admission;
  /** Called with the user of every request that needs a token. Throws QuotaExceeded if the user sends too many. */
  throttle?(userId: string): void;
  /** Bounds the duration of requests, and those of one user over all processes. Absent in a single process. */
  readonly bounded?: Bounded;
  /** Shares the turns of the event loop by user. Absent on Lambda, where a container handles one request at a time. */
  readonly turns?: RequestTurns;
  /** The budget of the searches of a request for occurrences. Default: that of `SearchBudget`. */
  readonly searchLimits?: SearchLimits;
  /** Verifies the token where API Gateway does not: puts the claims into the event, or throws Unauthorized. */
  authorize?(event: HttpEvent): Promise<void>;
}

export function createApi(
  routes: readonly Route[],
  {
    log,
    authorize,
    throttle,
    bounded = (_userId, work) => work(),
    authorization = 'jwt',
    operatorsGroup,
    operatorRoles = [],
    corsOrigins = [],
    admission = unlimitedAdmission,
    turns,
    searchLimits,
  }: ApiOptions,
): ApiHandler {
  const principal = (event: HttpEvent): Principal =>
    authorization === 'iam' ? iamPrincipalOf(event, operatorRoles) : principalOf(event, operatorsGroup);
  const inTurnsOf = <T>(owner: string, work: () => Promise<T>): Promise<T> =>
    turns
      ? turns.run(owner, async () => {
          await nextSlice();
          return work();
        })
      : work();
  const cors = createCors(corsOrigins, operations);
  const router = httpRouter<HttpEvent, HttpResponse>({
    routes: routes.map(({ operation, respond }) => ({
      method: operation.method,
      path: operation.path,
      async handler(event: HttpEvent) {
        const answer = (who?: Principal) =>
          bounded(who?.userId, () =>
            inTurnsOf(who?.userId ?? '', () => withSearchBudget(searchLimits, () => respond(event, who))),
          );
        if (!operation.auth) return answer();
        // Admission comes before the token and the body are checked, so that a refusal is cheap.
        const admit = operation.service === 'scheduler' ? admission : unlimitedAdmission;
        return admit(operation.id, async () => {
          // nobody else has the token of a user, so nobody else can wait in this line
          const who = await inTurnsOf(event.headers.authorization ?? '', async () => {
            await authorize?.(event);
            return principal(event);
          });
          throttle?.(who.userId);
          return answer(who);
        });
      },
    })),
    notFoundResponse({ method, path }) {
      const allowed = methodsOf(operations, path);
      // another service has an operation that this one gets by a path with a "/" at its end
      const isKnown = allowed.length > 0 && !allowed.some((one) => one === method);
      throw isKnown ? new MethodNotAllowed(method, path, allowed) : new UnknownRoute(path);
    },
  });

  const withHeaders = (event: HttpEvent, response: HttpResponse): HttpResponse => ({
    ...response,
    headers: {
      ...SECURITY_HEADERS,
      ...cors.headers(event),
      ...response.headers,
      'x-request-id': requestIdOf(event),
    },
  });

  const handler = middy<HttpEvent, HttpResponse>(router)
    .before(({ event }) => {
      const preflight = cors.preflight(event);
      return preflight && withHeaders(event, preflight);
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
        log.error('request failed', {
          // An outage fails every request. The log repeats such a line rarely, so only the first request id is in it.
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
