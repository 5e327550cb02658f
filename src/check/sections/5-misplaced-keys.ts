import type { Cell, CheckCase } from '../cases/case.ts';
import { expectKeyRefused, expectNotAccepted } from '../judging/expect-key.ts';
import { ENDPOINTS, type Endpoint, endpointAt, isRest } from '../requests/endpoint.ts';
import type { RequestSpec } from '../requests/exchange.ts';
import { JSON_TYPE, keylessRequest, withKey } from '../requests/scan-request.ts';
import { baitFor } from '../samples/samples.ts';
import type { KeyName } from '../target/target.ts';

/**
 * Sections 3.1 and 5: a key that no endpoint takes, or only those of its own type, in every place in which a server may
 * look for one. The places in which an endpoint takes no key hold it together: a server takes it from any of them.
 */
export const MISPLACED_KEY_CASES: readonly CheckCase[] = [
  misplacedCase(
    '5/rest-key-in-other-places-at-devices',
    'rest',
    'A REST key opens no door and confirms no heartbeat, in any part of the request.',
  ),
  misplacedCase(
    '5/hardware-key-in-other-places-on-rest',
    'hardware',
    'A hardware key is no key of own software, in any part of the request.',
  ),
  misplacedCase(
    '3.1/disabled-key-in-other-places',
    'disabled',
    'A disabled key is accepted in no other place and on no endpoint of the other type.',
  ),
  misplacedCase(
    '3.1/deleted-key-in-other-places',
    'deleted',
    'A deleted key is accepted in no other place and on no endpoint of the other type.',
  ),
  misplacedCase(
    '3.1/disabled-hardware-key-in-other-places',
    'hardwareDisabled',
    'A disabled hardware key is accepted in no other place and on no endpoint of the other type.',
  ),
  misplacedCase(
    '3.1/deleted-hardware-key-in-other-places',
    'hardwareDeleted',
    'A deleted hardware key is accepted in no other place and on no endpoint of the other type.',
  ),
];

function misplacedCase(id: string, key: KeyName, requirement: string): CheckCase {
  return {
    id,
    requirement,
    cause:
      'Another part of the service looks for keys in further places, and does not ask what they are for.',
    cells: ENDPOINTS.flatMap((endpoint) => cellsFor(key, endpoint)),
  };
}

/** The own place of an endpoint is asked with keys of the other type; those of its own type are asked there elsewhere. */
function cellsFor(key: KeyName, endpoint: Endpoint): Cell[] {
  const isOwnType = key.startsWith('hardware') !== isRest(endpoint);
  const isGood = key === 'rest' || key === 'hardware';
  if (isGood) return isOwnType ? [] : [cell(key, endpoint, elsewhere, 'in other places')];
  return [
    ...(isOwnType ? [] : [cell(key, endpoint, withKey, 'in the place of a key')]),
    cell(key, endpoint, elsewhere, 'in other places'),
  ];
}

type Placing = (request: RequestSpec, key: string) => RequestSpec;

function cell(key: KeyName, endpoint: Endpoint, place: Placing, variant: string): Cell {
  const isScan = endpoint !== 'heartbeat';
  return {
    endpoint,
    variant,
    keys: [key],
    ...(isScan ? baitFor(endpoint, 1) : {}),
    async run(scan) {
      const keyless = keylessRequest(endpoint, isScan ? scan.bait() : '');
      const exchange = await scan.sendRefused(place(keyless, scan.key(key)));
      // how a disabled key is refused is not shown
      if (isRest(endpoint) && /disabled/i.test(key)) expectNotAccepted(exchange);
      else expectKeyRefused(exchange, endpoint);
    },
  };
}

function elsewhere(request: RequestSpec, key: string): RequestSpec {
  const isOwnSoftware = isRest(endpointAt(request));
  const names = ['key', 'Key', 'apiKey', 'x-api-key'];
  const members = Object.fromEntries(names.map((name) => [name, key]));
  return {
    ...request,
    query: isOwnSoftware ? names.map((name) => [name, key]) : [],
    headers: [
      ...(isOwnSoftware ? [] : [['x-api-key', key] as const]),
      ['authorization', `Bearer ${key}`],
      ['cookie', `key=${key}; x-api-key=${key}`],
      JSON_TYPE,
    ],
    body: JSON.stringify({ ...JSON.parse(String(request.body)), ...members }),
  };
}
