import type { CheckCase } from '../case.ts';
import { describeAnswer, type Exchange } from '../exchange.ts';
import { expectFields, expectStatus } from '../expect.ts';
import { isRecord } from '../facts/json.ts';
import type { Scan } from '../scan.ts';

/** Section 3.1: what a key can do in each of its states. */
export const KEY_STATE_CASES: readonly CheckCase[] = [
  {
    id: '3.1/disabled-key-refused',
    level: 'stated',
    keys: ['rest', 'disabled'],
    tickets: { single: 1 },
    requirement: 'A disabled key is not accepted for scans.',
    cause: 'The active flag is not looked at, or cached for too long.',
    async run(scan) {
      const exchange = await scan.validate(scan.ticket('single').code, 'disabled');
      refuseScan(scan, exchange);
    },
  },
  {
    id: '3.1/disabled-key-takes-no-use',
    level: 'stated',
    keys: ['rest', 'disabled'],
    tickets: { single: 1 },
    uses: {},
    requirement: 'A disabled key consumes nothing.',
    cause: 'The active flag is looked at on validate only.',
    async run(scan) {
      const { code } = scan.ticket('single');
      refuseScan(scan, await scan.consume(code, 'disabled'));
      expectFields(await scan.validate(code), { status: 'validated', usesConsumed: 0 });
    },
  },
  {
    id: '3.1/disabled-hardware-key-refused',
    level: 'stated',
    keys: ['hardwareDisabled'],
    tickets: { single: 1 },
    requirement: 'A disabled hardware key opens no door.',
    cause: 'The active flag is looked at on the REST endpoints only.',
    async run(scan) {
      const { code } = scan.ticket('single');
      refuseGrant(scan, await scan.hardware('validate', code, 'hardwareDisabled'));
    },
  },
  {
    id: '3.1/disabled-hardware-key-takes-no-use',
    level: 'stated',
    keys: ['hardware', 'hardwareDisabled'],
    tickets: { single: 1 },
    uses: {},
    requirement: 'A disabled hardware key consumes nothing.',
    cause: 'The active flag is looked at on validate only.',
    async run(scan) {
      const { code } = scan.ticket('single');
      refuseGrant(scan, await scan.hardware('consume', code, 'hardwareDisabled'));
      expectFields(await scan.hardware('validate', code), { AcsRes: '1' });
    },
  },
  ...(['validate', 'consume'] as const).map(
    (action): CheckCase => ({
      id: `3.1/deleted-key-on-${action}`,
      level: 'stated',
      keys: ['rest', 'deleted'],
      tickets: { single: 1 },
      ...(action === 'consume' ? { uses: {} } : {}),
      requirement: `A deleted key gets 401 on ${action}, whatever the ticket.`,
      cause: 'Deleted keys stay in a cache or are only marked.',
      async run(scan) {
        const { code } = scan.ticket('single');
        expectStatus(await scan.send(scan.restRequest(action, code, 'deleted')), 401);
        expectFields(await scan.validate(code), { status: 'validated' });
      },
    }),
  ),
  ...(['validate', 'consume'] as const).map(
    (action): CheckCase => ({
      id: `3.1/deleted-hardware-key-on-${action}`,
      level: 'stated',
      keys: ['hardware', 'hardwareDeleted'],
      tickets: { single: 1 },
      ...(action === 'consume' ? { uses: {} } : {}),
      requirement: `A deleted hardware key opens no door on ${action}.`,
      cause: 'Deleted keys stay in a cache or are only marked.',
      async run(scan) {
        const { code } = scan.ticket('single');
        refuseGrant(scan, await scan.hardware(action, code, 'hardwareDeleted'));
        expectFields(await scan.hardware('validate', code), { AcsRes: '1' });
      },
    }),
  ),
  ...(['disabled', 'hardwareDisabled', 'hardwareDeleted'] as const).map(
    (name): CheckCase => ({
      id: `3.1/answer-to-${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}-key`,
      level: 'unstated',
      keys: [name],
      tickets: { single: 1 },
      requirement: `The exact answer to a key that is ${name === 'hardwareDeleted' ? 'deleted, on a device endpoint' : 'disabled'}.`,
      cause: 'The exact error response is not shown.',
      async run(scan) {
        const { code } = scan.ticket('single');
        const exchange =
          name === 'disabled'
            ? await scan.validate(code, name)
            : await scan.hardware('validate', code, name);
        return describeAnswer(exchange.answer);
      },
    }),
  ),
];

/** Neither a success status nor a scan result that lets somebody in. */
function refuseScan(scan: Scan, exchange: Exchange): void {
  const { answer } = exchange;
  const valid = isRecord(answer.json) && answer.json['valid'] === true;
  if (answer.status < 400 || valid)
    scan.fail('the key refused (4xx)', describeAnswer(answer), exchange);
}

/** Whatever the status: no answer that opens a door. */
function refuseGrant(scan: Scan, exchange: Exchange): void {
  const { answer } = exchange;
  const granted = isRecord(answer.json) && String(answer.json['AcsRes']) === '1';
  const denied = answer.status >= 400 || (isRecord(answer.json) && answer.json['AcsRes'] === '0');
  if (granted || !denied) scan.fail('the key refused', describeAnswer(answer), exchange);
}
