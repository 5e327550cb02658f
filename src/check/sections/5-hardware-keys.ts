import type { CheckCase } from '../case.ts';
import { NotApplicable } from '../case.ts';
import { HARDWARE } from '../endpoint.ts';
import { describeAnswer, type RequestSpec } from '../exchange.ts';
import { expectFields, expectStatus } from '../expect.ts';
import { expectKeyRefused } from '../expect-key.ts';
import { on } from '../matrix.ts';
import { baitFor, grantedCode, grantFor } from '../samples.ts';
import { JSON_TYPE, type Scan, type Spoiling } from '../scan.ts';
import type { KeyName } from '../target.ts';

interface WrongKey {
  readonly name: string;
  readonly what: string;
  readonly needs: readonly KeyName[];
  readonly change: (scan: Scan, request: RequestSpec) => RequestSpec | undefined;
}

const UNKNOWN = 'unknown-key-000000000000';

const WRONG_KEYS: readonly WrongKey[] = [
  { name: 'no-key', what: 'without a key', needs: [], change: (_, request) => withQuery(request) },
  {
    name: 'empty-key',
    what: 'with an empty key',
    needs: [],
    change: (_, request) => withQuery(request, ''),
  },
  {
    name: 'unknown-key',
    what: 'with an unknown key',
    needs: [],
    change: (_, request) => withQuery(request, UNKNOWN),
  },
  spoiled('cut-key', 'with a key that lacks its last letter', 'cut'),
  spoiled('beheaded-key', 'with a key that lacks its first letter', 'first letter lost'),
  spoiled('lower-case-key', 'with a key in lower case', 'lower-case'),
  spoiled('upper-case-key', 'with a key in upper case', 'upper-case'),
  spoiled(
    'middle-letter-key',
    'with a key that has another letter in the middle',
    'another letter in the middle',
  ),
  spoiled(
    'letter-case-key',
    'with a key that has one letter in the other case',
    'one letter in the other case',
  ),
  {
    name: 'blank-before-the-key',
    what: 'with a blank before its key',
    needs: [],
    change: (scan, request) => withQuery(request, ` ${scan.key('hardware')}`),
  },
  {
    name: 'blank-after-the-key',
    what: 'with a blank after its key',
    needs: [],
    change: (scan, request) => withQuery(request, `${scan.key('hardware')} `),
  },
  {
    name: 'longer-key',
    what: 'with a key that has letters after it',
    needs: [],
    change: (scan, request) => withQuery(request, `${scan.key('hardware')}AA`),
  },
  {
    name: 'rest-key',
    what: 'with a REST key in the query',
    needs: ['rest'],
    change: (scan, request) => withQuery(request, scan.key('rest')),
  },
  {
    name: 'key-in-header',
    what: 'with its key in the header instead of the query',
    needs: [],
    change: (scan, request) => ({
      ...withQuery(request),
      headers: [['x-api-key', scan.key('hardware')], JSON_TYPE],
    }),
  },
  {
    name: 'rest-key-in-header',
    what: 'with a REST key in the header',
    needs: ['rest'],
    change: (scan, request) => ({
      ...withQuery(request),
      headers: [['x-api-key', scan.key('rest')], JSON_TYPE],
    }),
  },
  {
    name: 'key-in-body',
    what: 'with its key in the body instead of the query',
    needs: [],
    change: (scan, request) => ({
      ...withQuery(request),
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
      ...withQuery(request),
      headers: [['authorization', `Bearer ${scan.key('hardware')}`], JSON_TYPE],
    }),
  },
  {
    name: 'bearer-before-the-key',
    what: 'with `Bearer` before its key',
    needs: [],
    change: (scan, request) => withQuery(request, `Bearer ${scan.key('hardware')}`),
  },
  {
    name: 'cookie',
    what: 'with its key as a cookie',
    needs: [],
    change: (scan, request) => ({
      ...withQuery(request),
      headers: [['cookie', `key=${scan.key('hardware')}`], JSON_TYPE],
    }),
  },
];

/** Section 5: the key of a device, on every endpoint for devices. */
export const HARDWARE_KEY_CASES: readonly CheckCase[] = [
  ...WRONG_KEYS.map(refusedCase),
  {
    id: '5/refused-hardware-keys-take-no-use',
    level: 'stated',
    endpoint: 'hw/consume',
    keys: ['hardware'],
    tickets: { single: 1 },
    uses: {},
    requirement:
      'A device request with a missing or invalid key consumes nothing and opens no door.',
    cause: 'The key is checked after the use was registered, or on validate only.',
    async run(scan) {
      const { code } = scan.ticket('single');
      const request = scan.hardwareRequest('consume', code);
      for (const changed of [withQuery(request), withQuery(request, UNKNOWN)]) {
        expectKeyRefused(await scan.sendRefused(changed), 'hw/consume');
      }
      expectFields(await scan.hardware('validate', code), { AcsRes: '1' });
    },
  },
  {
    id: '5/device-key-after-another-parameter',
    level: 'stated',
    requirement: 'The key is the parameter `key` of the query, wherever it stands in it.',
    cause: 'The query is cut at a fixed place instead of being parsed.',
    cells: on(HARDWARE, (endpoint) => ({
      ...(endpoint === 'heartbeat' ? { keys: ['hardware'] } : grantFor(endpoint)),
      async run(scan) {
        const code = endpoint === 'heartbeat' ? '' : grantedCode(scan, endpoint);
        const request = scan.request(endpoint, code);
        const query = [['gate', '1'] as const, ...(request.query ?? [])];
        const exchange = await scan.send({ ...request, query });
        const { answer } = exchange;
        // whether a parameter that nobody knows is taken is not said; that the key is there must be seen
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
        const request = withQuery(scan.bareRequest(endpoint, 'A'), UNKNOWN);
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

function spoiled(name: string, what: string, way: Spoiling): WrongKey {
  return {
    name,
    what,
    needs: [],
    change: (scan, request) => {
      const key = scan.spoiledKey('hardware', way);
      return key === undefined ? undefined : withQuery(request, key);
    },
  };
}

function withQuery(request: RequestSpec, key?: string): RequestSpec {
  return { ...request, query: key === undefined ? [] : [['key', key]] };
}

/** A ticket is shown whose answer would tell that the key was accepted. The status is not prescribed here. */
function refusedCase({ name, what, needs, change }: WrongKey): CheckCase {
  return {
    id: `5/device-${name}`,
    level: 'stated',
    requirement: `A device request ${what} is refused, whatever the ticket; so is a heartbeat.`,
    cause: 'The key is not looked at, looked for in other places, or compared loosely.',
    cells: on(HARDWARE, (endpoint) => ({
      keys: ['hardware', ...needs],
      ...(endpoint === 'heartbeat' ? {} : baitFor(endpoint, 1)),
      async run(scan) {
        const code = endpoint === 'heartbeat' ? '' : scan.bait();
        const request = change(scan, scan.bareRequest(endpoint, code));
        if (request === undefined) return new NotApplicable('the key reads the same so');
        expectKeyRefused(await scan.sendRefused(request), endpoint);
        return undefined;
      },
    })),
  };
}
