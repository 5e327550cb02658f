import cookie from '@fastify/cookie';
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { serializerCompiler } from 'fastify-type-provider-zod';
import { Access } from '../features/accounts/access.ts';
import { guard } from '../features/accounts/guard.ts';
import { Passwords } from '../features/accounts/passwords.ts';
import { signInRoutes } from '../features/accounts/routes.ts';
import { Throttle } from '../features/accounts/throttle.ts';
import { OPERATIONS } from '../features/all.ts';
import { type AdminContext, type AdminDeps, contextOf } from '../features/context.ts';
import { logRoutes } from '../features/log/routes.ts';
import { logoRoute } from '../features/organisations/routes.ts';
import { Phones } from '../features/phones/rules.ts';
import { AccountScans } from '../features/scans/rules.ts';
import { siteRoutes } from '../features/sites/routes.ts';
import { MinuteStatistics } from '../features/statistics/minute-statistics.ts';
import { statisticsRoutes } from '../features/statistics/routes.ts';
import { ticketRoutes } from '../features/tickets/routes/tickets.ts';
import { httpsSender } from '../features/webhooks/network.ts';
import { addressOfRequest } from '../kit/client-address.ts';
import { alwaysSend, DATA_HEADERS, writeLongAnswersInSteps } from '../operations/http/answers.ts';
import { errorHandler, logRefusals, readRequest } from '../operations/http/errors.ts';
import { shareFairly } from '../operations/http/fair-shares.ts';
import { type AdminApp, addRoute } from '../operations/http/route.ts';
import { collectOperations, documentRoute } from '../operations/openapi/document.ts';
import type { OpenApiDocument } from '../operations/openapi/scan-paths.ts';
import { ADMIN_PREFIX } from '../operations/operation.ts';
import { EdgeRefusals } from '../scan/edge-refusals.ts';
import { RefusalLog } from '../scan/refusal-counter.ts';

const ROUTES = [signInRoutes, logoRoute, ticketRoutes, logRoutes, statisticsRoutes, siteRoutes];

/** The administration of a store over HTTP: for the dashboard, for scripts and for the remote command line. */
export function adminApi(deps: AdminDeps): FastifyPluginAsync {
  const accountDeps = { ...deps, passwords: new Passwords(deps.passwordCost) };
  const addressOf = ({ raw }: FastifyRequest) => addressOfRequest(raw, deps.isTrustedProxy);
  const scans = new AccountScans(accountDeps, deps.keyring, deps.service);
  const minuteStatistics = new MinuteStatistics(deps.store, deps.clock);
  const access = new Access(accountDeps);
  const phones = new Phones(accountDeps);
  const newNames = new Throttle(deps.clock);
  const webhookNetwork = deps.webhookNetwork ?? httpsSender();
  const own = {
    accountDeps,
    webhookNetwork,
    access,
    phones,
    newNames,
    scans,
    minuteStatistics,
    addressOf,
  };
  const context: AdminContext = { ...deps, ...own };
  let document = (): Promise<OpenApiDocument> => {
    throw new Error('the routes are not registered yet');
  };
  const api: FastifyPluginAsync = async (scope) => {
    await scope.register(cookie);
    acceptEmptyJson(scope);
    document = collectOperations(scope, deps.version);
    const app: AdminApp = scope.withTypeProvider<ZodTypeProvider>();
    app.setValidatorCompiler(readRequest);
    app.setSerializerCompiler(serializerCompiler);
    app.setErrorHandler(errorHandler(deps.log));
    app.setNotFoundHandler((_request, reply) =>
      reply.code(404).send({ message: 'Not Found', code: 'not_found' }),
    );
    alwaysSend(scope, DATA_HEADERS);
    guard(scope, access);
    shareFairly(scope);
    writeLongAnswersInSteps(scope);
    const { log, countRefusal: count } = deps;
    const outlets = { log: new RefusalLog(log), edge: new EdgeRefusals(log, count), count };
    logRefusals(scope, outlets, addressOf);
    for (const routes of ROUTES) routes(app, context);
    for (const one of OPERATIONS) addRoute(app, (request) => contextOf(request, context), one);
  };
  return async (root) => {
    await root.register(api, { prefix: ADMIN_PREFIX });
    await root.register(async (scope) => documentRoute(scope, () => document()));
  };
}

/** Accepts an empty body as none: some clients send a content type with every request, even with DELETE. */
function acceptEmptyJson(scope: FastifyInstance): void {
  const parse = scope.getDefaultJsonParser('error', 'error');
  scope.addContentTypeParser<string>(
    'application/json',
    { parseAs: 'string' },
    (request, body, done) => {
      if (body === '') done(null);
      else void parse(request, body, done);
    },
  );
}
