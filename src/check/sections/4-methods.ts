import type { CheckCase } from '../case.ts';
import { describeAnswer } from '../exchange.ts';
import { expectFields } from '../expect.ts';
import { isRecord } from '../facts/json.ts';

const OTHER_METHODS = ['GET', 'PUT', 'PATCH', 'DELETE'];

/** Section 4: all endpoints use POST. */
export const METHOD_CASES: readonly CheckCase[] = [
  {
    id: '4/other-methods-let-nobody-in',
    level: 'stated',
    keys: ['rest', 'hardware'],
    tickets: { single: 1 },
    requirement: 'All endpoints use POST: no other method gives a valid result or opens a door.',
    cause: 'The routes take any method.',
    async run(scan) {
      const { code } = scan.ticket('single');
      for (const method of OTHER_METHODS) {
        for (const request of [
          scan.restRequest('validate', code),
          scan.hardwareRequest('validate', code),
        ]) {
          const { answer } = await scan.send({ ...request, method });
          const json = isRecord(answer.json) ? answer.json : {};
          if (json['valid'] === true || json['AcsRes'] === '1')
            scan.fail(`no valid result to ${method}`, describeAnswer(answer));
        }
      }
    },
  },
  {
    id: '4/other-methods-take-no-use',
    level: 'stated',
    keys: ['rest', 'hardware'],
    tickets: { single: 1 },
    uses: {},
    requirement: 'All endpoints use POST: no other method consumes.',
    cause: 'The routes take any method; a link that is merely opened would take a use.',
    async run(scan) {
      const { code } = scan.ticket('single');
      const card = Buffer.from(code).toString('base64');
      for (const method of ['GET', 'PUT']) {
        await scan.send({ ...scan.restRequest('consume', code), method });
        const device = scan.hardwareRequest('consume', code);
        await scan.send({ ...device, method, query: [...(device.query ?? []), ['Card', card]] });
      }
      expectFields(await scan.validate(code), { status: 'validated', usesConsumed: 0 });
    },
  },
  observedCase('answer-to-get', 'What GET on a scan endpoint gets.', 'GET', '/scan/validate'),
  observedCase(
    'answer-to-options',
    'What OPTIONS on a scan endpoint gets.',
    'OPTIONS',
    '/scan/validate',
  ),
  observedCase(
    'answer-to-get-on-a-device-endpoint',
    'What GET on a device endpoint gets.',
    'GET',
    '/scan/hw/consume',
  ),
  observedCase('answer-to-an-unknown-path', 'What an unknown path gets.', 'POST', '/scan/unknown'),
  observedCase(
    'answer-to-a-slash-at-the-end',
    'What a path with a slash at its end gets.',
    'POST',
    '/scan/validate/',
  ),
  observedCase(
    'answer-to-other-case',
    'What a path in other letter case gets.',
    'POST',
    '/scan/Validate',
  ),
];

function observedCase(name: string, requirement: string, method: string, path: string): CheckCase {
  return {
    id: `4/${name}`,
    level: 'unstated',
    requirement,
    cause: 'The specification does not say.',
    async run(scan) {
      const { answer } = await scan.send({ method, path });
      const allow = answer.headers['allow'];
      return describeAnswer(answer) + (allow === undefined ? '' : `, Allow: ${allow}`);
    },
  };
}
