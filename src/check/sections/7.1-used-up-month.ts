import type { CheckCase } from '../cases/case.ts';
import { on } from '../cases/matrix.ts';
import { isRecord } from '../facts/json.ts';
import { expectEqual, expectOnly, expectStatus, objectOf } from '../judging/expect.ts';
import { DEVICE, isDevice, REST, type ScanEndpoint } from '../requests/endpoint.ts';
import { describeAnswer } from '../requests/exchange.ts';
import { baitFor } from '../samples/samples.ts';

/** Sections 7.1 and 8: a key whose requests of the month are used up. */
export const USED_UP_MONTH_CASES: readonly CheckCase[] = [
  {
    id: '7.1/429-in-a-used-up-month',
    requirement:
      'A key whose requests of the month are used up gets 429, with `Too Many Requests`.',
    cause: 'The requests of a month are not counted, or refused in another way.',
    cells: on(REST, (endpoint) => ({
      keys: ['quotaExhausted'],
      ...baitFor(endpoint, 1),
      async run(scan) {
        const exchange = await scan.send(scan.request(endpoint, scan.bait(), 'quotaExhausted'));
        expectStatus(exchange, 429);
        expectEqual(objectOf(exchange)['message'], 'Too Many Requests', 'message', exchange);
        expectOnly(exchange, ['message']);
      },
    })),
  },
  {
    id: '7.1/refused-at-devices-in-a-used-up-month',
    requirement: 'A hardware key whose requests of the month are used up opens no door.',
    cause: 'The requests of devices are not counted.',
    cells: on(DEVICE, (endpoint) => ({
      keys: ['hardwareQuotaExhausted'],
      ...baitFor(endpoint, 1),
      async run(scan) {
        const request = scan.request(endpoint, scan.bait(), 'hardwareQuotaExhausted');
        const { answer } = await scan.send(request);
        if (!isLimited(answer, endpoint)) scan.fail('429, or a denial', describeAnswer(answer));
      },
    })),
  },
  {
    id: '7.1/answers-in-a-used-up-month',
    level: 'unstated',
    requirement: 'What a device gets whose month is used up, and what its heartbeat gets.',
    cause: 'Neither is shown.',
    cells: on(['hw/validate', 'heartbeat'], (endpoint) => ({
      keys: ['hardwareQuotaExhausted'],
      ...(endpoint === 'heartbeat' ? {} : baitFor(endpoint, 1)),
      async run(scan) {
        const code = endpoint === 'heartbeat' ? '' : scan.bait();
        const request = scan.request(endpoint, code, 'hardwareQuotaExhausted');
        return describeAnswer((await scan.send(request)).answer);
      },
    })),
  },
];

/** True for a cell that wants to be limited. */
export function isUsedUpMonth(cell: string): boolean {
  return USED_UP_MONTH_CASES.some(({ id }) => cell.startsWith(id));
}

/** Refused, and not for the ticket: a spent one is shown where nothing may be spent. */
function isLimited(answer: { status: number; json: unknown }, endpoint: ScanEndpoint): boolean {
  const json = isRecord(answer.json) ? answer.json : {};
  if (!isDevice(endpoint) || json['AcsRes'] === '1') return false;
  return answer.status === 429 || (json['AcsRes'] === '0' && json['Note'] !== 'Ticket erschöpft');
}
