import type {
  FastifyError,
  FastifyInstance,
  FastifyReply,
  FastifyRequest,
  FastifySchemaCompiler,
} from 'fastify';
import type { Logger } from 'pino';
import type * as z from 'zod';
import { messageOf, RetryLater, TicketscanError } from '../../core/errors.ts';
import type { EdgeReason } from '../../core/outcome-names.ts';
import { STATUS_OF_KIND } from '../../core/refusals/kinds.ts';
import type { EdgeRefusals } from '../../scan/edge-refusals.ts';
import { isBrokenHttp, reasonOfStatus } from '../../scan/http/refusal.ts';
import { safePath } from '../../scan/http/request-log.ts';
import { type RefusalLog, type RefusedAtEdge, refusalKind } from '../../scan/refusal-counter.ts';
import type { ErrorBody } from '../fields.ts';
import { type InputIssue, readInput } from '../input-issues.ts';

class InvalidInput extends Error {
  readonly issue: InputIssue;

  constructor(issue: InputIssue) {
    super(issue.message);
    this.issue = issue;
  }
}

/** Reads a request with the schemas of its route. */
export const readRequest: FastifySchemaCompiler<unknown> =
  ({ schema }) =>
  (data: unknown) => {
    const read = readInput(schema as z.ZodType, data);
    return 'issue' in read ? { error: new InvalidInput(read.issue) } : read;
  };

/** An unknown path is 404, whatever is wrong with the body. */
const NOT_FOUND = [404, { message: 'Not Found', code: 'not_found' }] as const;

/** Turns an error of a route into an answer: errors that a person can fix are sent, all others go to the log. */
export function errorHandler(log: Logger) {
  return (error: FastifyError | Error, request: FastifyRequest, reply: FastifyReply) => {
    const [status, body] = request.is404 ? NOT_FOUND : answerFor(error, request);
    if (error instanceof RetryLater) reply.header('retry-after', error.retryAfterSeconds);
    else if (status >= 500) {
      log.error({ route: request.routeOptions.url, error: messageOf(error) }, 'a request failed');
    }
    return reply.code(status).send(body);
  };
}

function answerFor(
  error: FastifyError | Error,
  { routeOptions }: FastifyRequest,
): [status: number, body: ErrorBody] {
  if (error instanceof InvalidInput) {
    const { field, message, ...values } = error.issue;
    return [422, { message, ...(field !== '' && { field }), code: 'invalid_request', values }];
  }
  if (error instanceof TicketscanError) return answerForOwn(error);
  const { statusCode, code } = error as FastifyError;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    const message = `The body of this request may have ${routeOptions.bodyLimit} bytes.`;
    return [413, { message, code: 'invalid_request' }];
  }
  // From the framework: the body is not JSON, is too large, or has another content type.
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return [statusCode, { message: error.message, code: codeOfFramework(error) }];
  }
  return [500, { message: 'Internal Server Error', code: 'internal' }];
}

function answerForOwn(error: TicketscanError): [status: number, body: ErrorBody] {
  const status = STATUS_OF_KIND[error.code] ?? 500;
  const code = error.reason ?? error.code;
  if (error instanceof RetryLater) {
    return [status, { message: error.message, code, values: { seconds: error.retryAfterSeconds } }];
  }
  const { message: given, values } = error;
  const hasValues = Object.keys(values).length > 0;
  if (status < 500) return [status, { message: given, code, ...(hasValues && { values }) }];
  const message = "The store is unavailable; try again. The server's log has the reason.";
  return [status, { message, code: STORE_CODES.has(code) ? code : 'internal' }];
}

const STORE_CODES: ReadonlySet<string> = new Set(['store_busy', 'store_unavailable']);

function codeOfFramework(error: Error): string {
  return 'reason' in error && typeof error.reason === 'string' ? error.reason : 'invalid_request';
}

/** Refusals of somebody with or without an account, by the status of the answer. */
const REASONS_OF_ACCOUNTS: Readonly<Record<number, EdgeReason>> = {
  401: 'account_refused',
  403: 'not_allowed',
  429: 'too_many_attempts',
  503: 'busy',
};

/** The statuses of requests whose form no route accepts. What a route itself refuses is an answer to somebody who reads it. */
const UNUSABLE: ReadonlySet<number> = new Set([400, 405, 413, 415]);

/** The log and the counters of refusals. */
export interface RefusalOutlets {
  readonly log: RefusalLog;
  readonly edge: EdgeRefusals;
  readonly count: ((refused: RefusedAtEdge) => void) | undefined;
}

/** Logs and counts every refusal of `app`; those of sign-ins separately. */
export function logRefusals(
  app: FastifyInstance,
  { log: refusals, edge, count }: RefusalOutlets,
  addressOf: (request: FastifyRequest) => string,
): void {
  const reportForm = (request: FastifyRequest, status: number): void => {
    if (isBrokenHttp(request.raw.socket)) return;
    const reason = request.is404 ? 'unknown_path' : reasonOfStatus(status);
    edge.report(reason, { address: addressOf(request), endpoint: safePath(request.url) });
  };
  app.addHook('onResponse', async (request, { statusCode: status }) => {
    if (request.is404 || UNUSABLE.has(status)) return reportForm(request, status);
    const kind = refusalKind(status);
    if (kind === undefined || isAskingWhoIsThere(request)) return;
    const address = addressOf(request);
    const endpoint = request.routeOptions.url ?? '';
    const route = `${request.method} ${endpoint}`;
    const reason = REASONS_OF_ACCOUNTS[status];
    if (reason) count?.({ reason, address, endpoint });
    const isSignIn = route.endsWith('/sessions') && status === 401;
    const fields = { status, route, address, ...request.refusedFor };
    refusals.note(isSignIn ? 'a sign-in failed' : kind, fields);
  });
  app.addHook('onClose', async () => {
    refusals.flush();
    edge.flush();
  });
}

/** Whether the request asks who is signed in. The page does so when it is opened, before anybody signs in. */
function isAskingWhoIsThere({ routeOptions, refusedFor }: FastifyRequest): boolean {
  return (
    routeOptions.url?.endsWith('/sessions/current') === true &&
    refusedFor?.['credentials'] === 'none'
  );
}
