import { expect, test } from 'vitest';
import {
  ADMINISTRATIVE_KINDS,
  accountIdOf,
  isAccountId,
  lesserRole,
  mayScan,
  ROLES,
  reaches,
} from '../../src/core/administrative-records.ts';

test('a role may do what every lesser role may, and no more', () => {
  const allowed = ROLES.map((role) => ROLES.filter((needed) => reaches(role, needed)));
  expect(allowed).toEqual([
    ['scanner'],
    ['scanner', 'viewer'],
    ['scanner', 'viewer', 'operator'],
    ['scanner', 'viewer', 'operator', 'owner'],
  ]);
  expect(ROLES.filter(mayScan)).toEqual(['scanner', 'operator', 'owner']);
});

test('of two roles the lesser counts, in either order', () => {
  expect(lesserRole('owner', 'viewer')).toBe('viewer');
  expect(lesserRole('viewer', 'owner')).toBe('viewer');
  expect(lesserRole('operator', 'operator')).toBe('operator');
});

test('the kinds of administrative records are what stores have on disk', () => {
  expect(ADMINISTRATIVE_KINDS).toEqual([
    'account',
    'session',
    'access-token',
    'pairing',
    'refusals',
    'webhook',
    'webhook-progress',
    'webhook-notices',
    'webhook-lease',
    'sheet-settings',
    'device-names',
    'limits',
    'events-max',
    'guest-search',
    'inside-from',
    'deletion',
    'log-ends',
    'backup',
    'server-address',
    'replaced-ticket',
    'replacement',
    'event-home',
    'site',
    'site-token',
    'site-contact',
    'site-feed',
    'site-progress',
    'site-rows',
    'site-of',
  ]);
});

test('an id is that of an account or of a key', () => {
  expect(accountIdOf('0123456789')).toBe('acc_0123456789');
  expect(isAccountId('acc_0123456789')).toBe(true);
  expect(isAccountId('key_acc_012345')).toBe(false);
});
