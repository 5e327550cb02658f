import cookie from '@fastify/cookie';
import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify';
import {
  serializerCompiler,
  validatorCompiler,
  type ZodTypeProvider,
} from 'fastify-type-provider-zod';
import { Access } from '../../features/accounts/access.ts';
import { Passwords } from '../../features/accounts/passwords.ts';
import { Phones } from '../../features/accounts/phones.ts';
import { signInRoutes } from '../../features/accounts/routes.ts';
import { Throttle } from '../../features/accounts/throttle.ts';
import { addressOfRequest } from '../../kit/client-address.ts';
import { OPERATIONS } from '../../operations/all.ts';
import { addRoute } from '../../operations/route.ts';
import { RefusalLog } from '../scan/refusals.ts';
import type { AdminApp, AdminContext } from './admin-app.ts';
import { ADMIN_PREFIX } from './admin-prefix.ts';
import type { AdminDeps } from './deps.ts';
import { errorHandler } from './errors.ts';
import { writeLongAnswersInSteps } from './long-answers.ts';
import { collectOperations } from './openapi/document.ts';
import { documentRoute } from './openapi/document-route.ts';
import type { OpenApiDocument } from './openapi/types.ts';
import { liveRoutes } from './routes/live-routes.ts';
import { logRoutes } from './routes/log-routes.ts';
import { operationRoutes } from './routes/operation-routes.ts';
import { organisationRoutes } from './routes/organisation-routes.ts';
import { refusalRoutes } from './routes/refusal-routes.ts';
import { scanRoutes } from './routes/scan-routes.ts';
import { serverRoutes } from './routes/server-routes.ts';
import { sheetSettingsRoutes } from './routes/sheet-settings-routes.ts';
import { statisticsRoutes } from './routes/statistics-routes.ts';
import { ticketChangeRoutes } from './routes/ticket-change-routes.ts';
import { ticketFileRoutes } from './routes/ticket-file-routes.ts';
import { ticketPrintRoutes } from './routes/ticket-print-routes.ts';
import { ticketRoutes } from './routes/ticket-routes.ts';
import { webhookRoutes } from './routes/webhook-routes.ts';
import { shareFairly } from './security/fair-shares.ts';
import { guard } from './security/guard.ts';
import { alwaysSend, DATA_HEADERS } from './security/headers.ts';
import { logRefusals } from './security/log-refusals.ts';

const ROUTES = [
  signInRoutes,
  organisationRoutes,
  sheetSettingsRoutes,
  ticketRoutes,
  ticketChangeRoutes,
  ticketFileRoutes,
  ticketPrintRoutes,
  scanRoutes,
  logRoutes,
  refusalRoutes,
  operationRoutes,
  statisticsRoutes,
  serverRoutes,
  webhookRoutes,
];

/** The administration of a store over HTTP: for the dashboard, for scripts and for the remote command line. */
export function adminApi(deps: AdminDeps): FastifyPluginAsync {
  const accountDeps = { ...deps, passwords: new Passwords(deps.passwordCost) };
  const addressOf = ({ raw }: FastifyRequest) => addressOfRequest(raw, deps.isTrustedProxy);
  const access = new Access(accountDeps);
  const phones = new Phones(accountDeps);
  const newNames = new Throttle(deps.clock);
  const context: AdminContext = { ...deps, accountDeps, access, phones, newNames, addressOf };
  let document = (): Promise<OpenApiDocument> => {
    throw new Error('the routes are not registered yet');
  };
  const api: FastifyPluginAsync = async (scope) => {
    await scope.register(cookie);
    acceptEmptyJson(scope);
    document = collectOperations(scope, deps.version);
    const app: AdminApp = scope.withTypeProvider<ZodTypeProvider>();
    app.setValidatorCompiler(validatorCompiler);
    app.setSerializerCompiler(serializerCompiler);
    app.setErrorHandler(errorHandler(deps.log));
    app.setNotFoundHandler((_request, reply) =>
      reply.code(404).send({ message: 'Not Found', code: 'not_found' }),
    );
    alwaysSend(scope, DATA_HEADERS);
    guard(scope, access);
    shareFairly(scope);
    writeLongAnswersInSteps(scope);
    logRefusals(scope, new RefusalLog(deps.log), addressOf);
    liveRoutes(app, context, access);
    for (const routes of ROUTES) routes(app, context);
    for (const one of OPERATIONS) addRoute(app, context, one);
  };
  return async (root) => {
    await root.register(api, { prefix: ADMIN_PREFIX });
    await root.register(async (scope) => documentRoute(scope, () => document()));
  };
}

/** Some clients send a content type with every request, also with DELETE: an empty body counts as none. */
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
