import type { CheckCase } from '../cases/case.ts';
import { NotApplicable } from '../cases/case.ts';
import { on } from '../cases/matrix.ts';
import { changedKey, type WrongKey, wrongKeys } from '../cases/wrong-keys.ts';
import { expectFields, expectStatus } from '../judging/expect.ts';
import { expectKeyRefused } from '../judging/expect-key.ts';
import { HARDWARE } from '../requests/endpoint.ts';
import { describeAnswer } from '../requests/exchange.ts';
import { JSON_TYPE, keylessRequest, UNKNOWN_KEY, withKey } from '../requests/scan-request.ts';
import { baitFor, grantedCode, grantFor } from '../samples/samples.ts';
import type { KeyName } from '../target/target.ts';

const WRONG_KEYS: readonly WrongKey[] = [
  ...wrongKeys('hardware'),
  changedKey('blank-before-the-key', 'with a blank before its key', 'hardware', (key) => ` ${key}`),
  changedKey('blank-after-the-key', 'with a blank after its key', 'hardware', (key) => `${key} `),
  changedKey('rest-key', 'with a REST key in the query', 'rest', (key) => key),
  {
    name: 'key-in-header',
    what: 'with its key in the header instead of the query',
    needs: [],
    change: (scan, request) => ({
      ...request,
      headers: [['x-api-key', scan.key('hardware')], JSON_TYPE],
    }),
  },
  {
    name: 'rest-key-in-header',
    what: 'with a REST key in the header',
    needs: ['rest'],
    change: (scan, request) => ({
      ...request,
      headers: [['x-api-key', scan.key('rest')], JSON_TYPE],
    }),
  },
  {
    name: 'key-in-body',
    what: 'with its key in the body instead of the query',
    needs: [],
    change: (scan, request) => ({
      ...request,
      body: JSON.stringify({
        ...JSON.parse(String(request.body)),
        key: scan.key('hardware'),
        Key: scan.key('hardware'),
      }),
    }),
  },
  {
    name: 'bearer',
    what: 'with its key as `Authorization: Bearer`',
    needs: [],
    change: (scan, request) => ({
      ...request,
      headers: [['authorization', `Bearer ${scan.key('hardware')}`], JSON_TYPE],
    }),
  },
  changedKey(
    'bearer-before-the-key',
    'with `Bearer` before its key',
    'hardware',
    (key) => `Bearer ${key}`,
  ),
  {
    name: 'cookie',
    what: 'with its key as a cookie',
    needs: [],
    change: (scan, request) => ({
      ...request,
      headers: [['cookie', `key=${scan.key('hardware')}`], JSON_TYPE],
    }),
  },
];

/** Section 5: the key of a device, on every endpoint for devices. */
export const HARDWARE_KEY_CASES: readonly CheckCase[] = [
  ...WRONG_KEYS.map(refusedCase),
  {
    id: '5/refused-hardware-keys-take-no-use',
    endpoint: 'hw/consume',
    keys: ['hardware'],
    tickets: { single: 1 },
    uses: {},
    requirement:
      'A device request with a missing or invalid key consumes nothing and opens no door.',
    cause: 'The key is checked after the use was registered, or on validate only.',
    async run(scan) {
      const { code } = scan.ticket('single');
      const keyless = keylessRequest('hw/consume', code);
      for (const changed of [keyless, withKey(keyless, UNKNOWN_KEY)]) {
        expectKeyRefused(await scan.sendRefused(changed), 'hw/consume');
      }
      expectFields(await scan.ask('hw/validate', code), { AcsRes: '1' });
    },
  },
  {
    id: '5/device-key-after-another-parameter',
    requirement: 'The key is the parameter `key` of the query, at any position.',
    cause: 'The query is cut at a fixed place instead of being parsed.',
    cells: on(HARDWARE, (endpoint) => ({
      ...(endpoint === 'heartbeat' ? { keys: ['hardware'] } : grantFor(endpoint)),
      async run(scan) {
        const code = endpoint === 'heartbeat' ? '' : grantedCode(scan, endpoint);
        const request = scan.request(endpoint, code);
        const query = [['gate', '1'] as const, ...(request.query ?? [])];
        const exchange = await scan.send({ ...request, query });
        const { answer } = exchange;
        // whether an unknown parameter is accepted is not said; the key beside it must be found
        if (answer.status === 400)
          return `the other parameter is refused: ${describeAnswer(answer)}`;
        if (endpoint === 'heartbeat') expectStatus(exchange, 200);
        else expectFields(exchange, { AcsRes: '1' });
        return undefined;
      },
    })),
  },
  {
    id: '5/status-for-a-refused-hardware-key',
    level: 'unstated',
    requirement: 'How a refused key is answered on a device endpoint.',
    cause: 'HTTP status codes of hardware endpoint errors are not shown.',
    cells: on(HARDWARE, (endpoint) => ({
      async run(scan) {
        const request = withKey(keylessRequest(endpoint, 'A'), UNKNOWN_KEY);
        return describeAnswer((await scan.sendRefused(request)).answer);
      },
    })),
  },
  {
    id: '5/hardware-key-twice',
    level: 'unstated',
    requirement: 'What a device request with the key twice gets.',
    cause: 'The specification does not say.',
    cells: on(['hw/validate', 'heartbeat'], (endpoint) => ({
      keys: ['hardware'],
      ...(endpoint === 'heartbeat' ? {} : baitFor(endpoint, 1)),
      async run(scan) {
        const request = scan.request(endpoint, endpoint === 'heartbeat' ? '' : scan.bait());
        const query = [...(request.query ?? []), ...(request.query ?? [])];
        return describeAnswer((await scan.send({ ...request, query })).answer);
      },
    })),
  },
];

/** Shows a ticket whose answer would reveal that the key was accepted. The status is not prescribed here. */
function refusedCase({ name, what, needs, change }: WrongKey): CheckCase {
  return {
    id: `5/device-${name}`,
    requirement: `A device request ${what} is refused, whatever the ticket; so is a heartbeat.`,
    cause: 'The key is not looked at, looked for in other places, or compared loosely.',
    cells: on(HARDWARE, (endpoint) => ({
      keys: [...new Set<KeyName>(['hardware', ...needs])],
      ...(endpoint === 'heartbeat' ? {} : baitFor(endpoint, 1)),
      async run(scan) {
        const code = endpoint === 'heartbeat' ? '' : scan.bait();
        const request = change(scan, keylessRequest(endpoint, code));
        if (request === undefined) return new NotApplicable('the key is the same afterwards');
        expectKeyRefused(await scan.sendRefused(request), endpoint);
        return undefined;
      },
    })),
  };
}
