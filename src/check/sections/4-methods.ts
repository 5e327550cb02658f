import type { CheckCase } from '../cases/case.ts';
import { on } from '../cases/matrix.ts';
import type { Scan } from '../cases/scan.ts';
import { DENIAL_NOTES } from '../facts/device-answer.ts';
import { isRecord } from '../facts/json.ts';
import { TransportFailure } from '../judging/deviation.ts';
import { expectFields } from '../judging/expect.ts';
import { CONSUMES, ENDPOINTS, type Endpoint, isConsume, isDevice } from '../requests/endpoint.ts';
import { type Answer, describeAnswer, type RequestSpec } from '../requests/exchange.ts';
import { cardOf } from '../requests/scan-request.ts';
import { baitFor, keyFor } from '../samples/samples.ts';

const OTHER_METHODS = ['GET', 'PUT', 'PATCH', 'DELETE'];

/** Section 4: all endpoints use POST. */
export const METHOD_CASES: readonly CheckCase[] = [
  {
    id: '4/other-methods-let-nobody-in',
    requirement:
      'All endpoints use POST: no other method gives a scan result, opens a door or confirms a heartbeat.',
    cause: 'The routes take any method.',
    cells: on(ENDPOINTS, (endpoint) => ({
      keys: [keyFor(endpoint)],
      ...(endpoint === 'heartbeat' ? {} : baitFor(endpoint, 1)),
      // an intact ticket with a good key goes to a consume endpoint only with consent
      ...(isConsume(endpoint) ? { uses: {} } : {}),
      async run(scan) {
        const code = endpoint === 'heartbeat' ? '' : scan.bait();
        for (const method of OTHER_METHODS) {
          const answer = await answerTo(scan, { ...scan.request(endpoint, code), method });
          if (answer && isServed(answer, endpoint))
            scan.fail(`${method} not served`, describeAnswer(answer));
        }
      },
    })),
  },
  {
    id: '4/other-methods-take-no-use',
    requirement: 'All endpoints use POST: no other method consumes.',
    cause: 'The routes take any method; a link that is merely opened would take a use.',
    cells: on(CONSUMES, (endpoint) => ({
      keys: ['rest', keyFor(endpoint)],
      tickets: { single: 1 },
      uses: {},
      async run(scan) {
        const { code } = scan.ticket('single');
        const card = cardOf(code);
        for (const method of ['GET', 'PUT']) {
          const request = scan.request(endpoint, code);
          const query = [...(request.query ?? []), ['Card', card] as const];
          const sent = { ...request, method, ...(isDevice(endpoint) ? { query } : {}) };
          await answerTo(scan, sent);
        }
        expectFields(await scan.validate(code), { status: 'validated', usesConsumed: 0 });
      },
    })),
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

/** What another method gets; undefined for a closed connection, which serves nothing either. */
async function answerTo(scan: Scan, request: RequestSpec): Promise<Answer | undefined> {
  try {
    return (await scan.send(request)).answer;
  } catch (error) {
    if (error instanceof TransportFailure && error.kind !== 'stopped') return undefined;
    throw error;
  }
}

/** True for an answer that only a POST may get. */
function isServed(answer: { status: number; json: unknown }, endpoint: Endpoint): boolean {
  const json = isRecord(answer.json) ? answer.json : {};
  if (endpoint === 'heartbeat') return answer.status < 400 && 'Key' in json;
  if (isDevice(endpoint)) return json['AcsRes'] === '1' || json['Note'] === DENIAL_NOTES.exhausted;
  return json['valid'] === true || json['status'] === 'exhausted';
}
