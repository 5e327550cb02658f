import * as accounts from '../features/accounts/operations.ts';
import * as phones from '../features/accounts/phone-operations.ts';
import * as auditLog from '../features/audit-log/operations.ts';
import * as devices from '../features/devices/operations.ts';
import * as events from '../features/events/operations.ts';
import * as keys from '../features/keys/operations.ts';
import * as log from '../features/log/operations.ts';
import * as organisations from '../features/organisations/operations.ts';
import * as privacy from '../features/privacy/operations.ts';
import * as scans from '../features/scans/operations.ts';
import * as server from '../features/server/operations.ts';
import * as statistics from '../features/statistics/operations.ts';
import * as tickets from '../features/tickets/operations.ts';
import * as webhooks from '../features/webhooks/operations.ts';
import type { Operation } from './operation.ts';

/** Every operation, in the order of the OpenAPI document. */
const all = {
  ...accounts,
  ...phones,
  ...organisations,
  ...events,
  ...keys,
  ...tickets,
  ...privacy,
  ...webhooks,
  ...log,
  ...scans,
  ...statistics,
  ...devices,
  ...auditLog,
  ...server,
};
type All = typeof all;
type OperationName = { [Name in keyof All]: All[Name] extends Operation ? Name : never }[keyof All];

export const OPERATIONS = Object.values(all).filter(
  (one): one is All[OperationName] => 'http' in one,
);
