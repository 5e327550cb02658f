import type { Operation } from '../operations/operation.ts';
import * as accounts from './accounts/operations.ts';
import * as auditLog from './audit-log/operations.ts';
import * as devices from './devices/operations.ts';
import * as events from './events/operations.ts';
import * as keys from './keys/operations.ts';
import * as log from './log/operations.ts';
import * as organisations from './organisations/operations.ts';
import * as phones from './phones/operations.ts';
import * as scans from './scans/operations.ts';
import * as server from './server/operations.ts';
import * as sites from './sites/operations.ts';
import * as statistics from './statistics/operations.ts';
import * as tickets from './tickets/operations.ts';
import * as webhooks from './webhooks/operations.ts';

/** Every operation, in the order of the OpenAPI document. */
const all = {
  ...accounts,
  ...phones,
  ...organisations,
  ...events,
  ...keys,
  ...tickets,
  ...webhooks,
  ...log,
  ...scans,
  ...statistics,
  ...devices,
  ...sites,
  ...auditLog,
  ...server,
};
type All = typeof all;
type OperationName = { [Name in keyof All]: All[Name] extends Operation ? Name : never }[keyof All];

export const OPERATIONS = Object.values(all).filter(
  (one): one is All[OperationName] => 'http' in one,
);
