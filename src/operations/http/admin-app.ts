import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyBaseLogger, FastifyInstance, FastifyRequest, RawServerDefault } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import type { Access } from '../../features/accounts/access.ts';
import type { AccountDeps } from '../../features/accounts/accounts.ts';
import type { Phones } from '../../features/accounts/phones.ts';
import type { Throttle } from '../../features/accounts/throttle.ts';
import type { AccountScans } from '../../features/scans/account-scans.ts';
import type { MinuteStatistics } from '../../features/statistics/minute-statistics.ts';
import type { AdminDeps } from './deps.ts';

/** The part of the server under `/admin/v1`: what goes in and out is checked with the zod schemas of each route. */
export type AdminApp = FastifyInstance<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  ZodTypeProvider
>;

/** What the routes of a server share. */
export interface AdminContext extends AdminDeps {
  readonly accountDeps: AccountDeps;
  readonly access: Access;
  readonly phones: Phones;
  /** Of the names of new accounts. */
  readonly newNames: Throttle;
  readonly scans: AccountScans;
  readonly minuteStatistics: MinuteStatistics;
  /** Where a request comes from, by way of trusted proxies. */
  readonly addressOf: (request: FastifyRequest) => string;
}
