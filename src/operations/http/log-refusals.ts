import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type RefusalLog, refusalKind } from '../../scan/refusals.ts';

/** Logs every refusal of `app`; those of sign-ins separately. */
export function logRefusals(
  app: FastifyInstance,
  refusals: RefusalLog,
  addressOf: (request: FastifyRequest) => string,
): void {
  app.addHook('onResponse', async (request, reply) => {
    const kind = refusalKind(reply.statusCode);
    if (kind === undefined || isAskingWhoIsThere(request)) return;
    const { method, refusedFor } = request;
    const route = `${method} ${request.routeOptions.url ?? ''}`;
    const isSignIn = route.endsWith('/sessions') && reply.statusCode === 401;
    refusals.note(isSignIn ? 'a sign-in failed' : kind, {
      status: reply.statusCode,
      route,
      address: addressOf(request),
      ...refusedFor,
    });
  });
  app.addHook('onClose', async () => refusals.flush());
}

/** The page does that when it is opened, before anybody signs in. */
function isAskingWhoIsThere({ routeOptions, refusedFor }: FastifyRequest): boolean {
  return (
    routeOptions.url?.endsWith('/sessions/current') === true &&
    refusedFor?.['credentials'] === 'none'
  );
}
