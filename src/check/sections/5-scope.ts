import type { CheckCase } from '../case.ts';
import { expectFields, expectStatus } from '../expect.ts';
import { DENIAL_NOTES } from '../facts/device-answer.ts';

const NOT_ALLOWED = { valid: false, status: 'rejected', reason: 'event_not_allowed' } as const;

/** Section 5, event scope: which tickets a key may scan. */
export const SCOPE_CASES: readonly CheckCase[] = [
  {
    id: '5/scope-on-validate',
    level: 'stated',
    samples: ['out of scope validated'],
    requirement:
      'A ticket of an event that the key has no access to gets 403 on validate, `rejected`, `event_not_allowed`.',
    cause: 'The scope is not checked on validate, or answered with another status.',
    async run(scan) {
      const exchange = await scan.sample('out of scope validated');
      expectFields(exchange, NOT_ALLOWED);
      expectStatus(exchange, 403);
    },
  },
  {
    id: '5/scope-on-consume',
    level: 'stated',
    keys: ['rest', 'restScoped'],
    tickets: { otherEvent: 1 },
    uses: {},
    requirement:
      'A ticket of an event that the key has no access to gets 403 on consume, and keeps its use.',
    cause: 'The scope is checked on validate only, or after the use was registered.',
    async run(scan) {
      const { code } = scan.ticket('otherEvent');
      const exchange = await scan.consume(code, 'restScoped');
      expectFields(exchange, NOT_ALLOWED);
      expectStatus(exchange, 403);
      expectFields(await scan.validate(code), { status: 'validated', usesConsumed: 0 });
    },
  },
  {
    id: '5/scope-on-device-validate',
    level: 'stated',
    samples: ['out of scope shown to a device'],
    requirement: 'A device whose key has no access to the event is denied on validate.',
    cause: 'The scope is checked on the REST endpoints only.',
    async run(scan) {
      const exchange = await scan.sample('out of scope shown to a device');
      expectFields(exchange, { AcsRes: '0', Note: DENIAL_NOTES.outOfScope });
    },
  },
  {
    id: '5/scope-on-device-consume',
    level: 'stated',
    keys: ['rest', 'hardwareScoped'],
    tickets: { otherEvent: 1 },
    uses: {},
    requirement:
      'A device whose key has no access to the event is denied on consume, and the ticket keeps its use.',
    cause: 'The scope is checked on one device endpoint only.',
    async run(scan) {
      const { code } = scan.ticket('otherEvent');
      expectFields(await scan.hardware('consume', code, 'hardwareScoped'), { AcsRes: '0' });
      expectFields(await scan.validate(code), { status: 'validated', usesConsumed: 0 });
    },
  },
  {
    id: '5/scope-lets-own-event-in',
    level: 'stated',
    keys: ['restScoped'],
    tickets: { single: 1 },
    requirement: 'A key for selected events scans the tickets of those events.',
    cause: 'The list of events is compared wrongly, or the wrong way round.',
    async run(scan) {
      const exchange = await scan.validate(scan.ticket('single').code, 'restScoped');
      expectFields(exchange, { status: 'validated' });
    },
  },
  {
    id: '5/scope-consumes-own-event',
    level: 'stated',
    keys: ['restScoped'],
    tickets: { single: 1 },
    uses: { single: 1 },
    requirement: 'A key for selected events consumes the tickets of those events.',
    cause: 'Consume wants a key for all events.',
    async run(scan) {
      const exchange = await scan.consume(scan.ticket('single').code, 'restScoped');
      expectFields(exchange, { status: 'consumed' });
    },
  },
  {
    id: '5/device-scope-consumes-own-event',
    level: 'stated',
    keys: ['hardwareScoped'],
    tickets: { single: 1 },
    uses: { single: 1 },
    requirement: 'A hardware key for selected events consumes the tickets of those events.',
    cause: 'Consume wants a key for all events.',
    async run(scan) {
      const exchange = await scan.hardware('consume', scan.ticket('single').code, 'hardwareScoped');
      expectFields(exchange, { AcsRes: '1' });
    },
  },
  {
    id: '5/device-scope-lets-own-event-in',
    level: 'stated',
    keys: ['hardwareScoped'],
    tickets: { single: 1 },
    requirement: 'A hardware key for selected events scans the tickets of those events.',
    cause: 'The list of events is compared wrongly, or the wrong way round.',
    async run(scan) {
      const exchange = await scan.hardware(
        'validate',
        scan.ticket('single').code,
        'hardwareScoped',
      );
      expectFields(exchange, { AcsRes: '1' });
    },
  },
  {
    id: '5/all-events',
    level: 'stated',
    keys: ['rest'],
    tickets: { otherEvent: 1 },
    requirement: 'A key for all events scans the tickets of every event of the organisation.',
    cause: 'Every key is bound to one event.',
    async run(scan) {
      expectFields(await scan.validate(scan.ticket('otherEvent').code), { status: 'validated' });
    },
  },
  {
    id: '5/all-events-at-devices',
    level: 'stated',
    keys: ['hardware'],
    tickets: { otherEvent: 1 },
    requirement:
      'A hardware key for all events scans the tickets of every event of the organisation.',
    cause: 'Every key is bound to one event.',
    async run(scan) {
      const exchange = await scan.hardware('validate', scan.ticket('otherEvent').code);
      expectFields(exchange, { AcsRes: '1' });
    },
  },
  {
    id: '5/scope-status-at-devices',
    level: 'unstated',
    samples: ['out of scope shown to a device'],
    requirement: 'The HTTP status of a scope violation on a device endpoint.',
    cause: 'Section 5 says 403, section 7.3 that hardware statuses are not shown.',
    async run(scan) {
      return `HTTP ${(await scan.sample('out of scope shown to a device')).answer.status}`;
    },
  },
];
