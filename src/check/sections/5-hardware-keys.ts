import type { CheckCase } from '../case.ts';
import { describeAnswer, type RequestSpec } from '../exchange.ts';
import { expectFields } from '../expect.ts';
import { isRecord } from '../facts/json.ts';
import { JSON_TYPE, type Scan } from '../scan.ts';
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
  spoiled('lower-case-key', 'with a key in lower case', 'lower-case'),
  spoiled('upper-case-key', 'with a key in upper case', 'upper-case'),
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
];

/** Section 5: the key of a device, on the device endpoints. */
export const HARDWARE_KEY_CASES: readonly CheckCase[] = [
  ...WRONG_KEYS.map(refusedCase),
  {
    id: '5/refused-hardware-keys-take-no-use',
    level: 'stated',
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
        refuseGrant(scan, (await scan.send(changed)).answer);
      }
      expectFields(await scan.hardware('validate', code), { AcsRes: '1' });
    },
  },
  {
    id: '5/status-for-a-refused-hardware-key',
    level: 'unstated',
    keys: ['hardware'],
    requirement: 'How a refused key is answered on a device endpoint.',
    cause: 'HTTP status codes of hardware endpoint errors are not shown.',
    async run(scan) {
      const request = scan.cardRequest('validate', { Card: 'QQ==' });
      return describeAnswer((await scan.send(withQuery(request, UNKNOWN))).answer);
    },
  },
  {
    id: '5/hardware-key-twice',
    level: 'unstated',
    keys: ['hardware'],
    tickets: { single: 1 },
    requirement: 'What a device request with the key twice gets.',
    cause: 'The specification does not say.',
    async run(scan) {
      const request = scan.hardwareRequest('validate', scan.ticket('single').code);
      const query = [...(request.query ?? []), ...(request.query ?? [])];
      return describeAnswer((await scan.send({ ...request, query })).answer);
    },
  },
];

function spoiled(name: string, what: string, way: 'cut' | 'lower-case' | 'upper-case'): WrongKey {
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

/** A good ticket is shown, so that only the key can be what refuses. The status is not prescribed here. */
function refusedCase({ name, what, needs, change }: WrongKey): CheckCase {
  return {
    id: `5/device-${name}`,
    level: 'stated',
    keys: ['hardware', ...needs],
    tickets: { single: 1 },
    requirement: `A device request ${what} is refused, whatever the ticket.`,
    cause: 'The key is not looked at, looked for in other places, or compared loosely.',
    async run(scan) {
      const request = change(scan, scan.hardwareRequest('validate', scan.ticket('single').code));
      if (request === undefined) return 'the key reads the same so';
      refuseGrant(scan, (await scan.send(request)).answer);
      return undefined;
    },
  };
}

function refuseGrant(scan: Scan, answer: { status: number; json: unknown; body: string }): void {
  const json = isRecord(answer.json) ? answer.json : {};
  const granted = json['AcsRes'] === '1' || json['valid'] === true;
  if (granted || (answer.status < 400 && json['AcsRes'] !== '0'))
    scan.fail('401, or AcsRes "0"', `HTTP ${answer.status} ${answer.body}`);
}
