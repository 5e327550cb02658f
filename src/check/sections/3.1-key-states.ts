import type { Cell, CheckCase, Seen } from '../cases/case.ts';
import type { KeyName } from '../deployment/target.ts';
import {
  CONSUMES,
  type ConsumeEndpoint,
  describeAnswer,
  ENDPOINTS,
  type Endpoint,
  type Exchange,
  isRest,
  SCANS,
  validateFor,
} from '../facts/exchange.ts';
import { expectDisabledKeyRefused, expectKeyRefused } from '../judging/expect.ts';
import { keylessRequest, UNKNOWN_KEY, withKey } from '../requests/scan-request.ts';
import { on } from '../samples/matrix.ts';
import { decoyFor, keyFor } from '../samples/samples.ts';
import { expectUses } from '../samples/uses.ts';

type State = 'disabled' | 'deleted';

/** Section 3.1: what a key can do in each of its states. */
export const KEY_STATE_CASES: readonly CheckCase[] = [
  {
    id: '3.1/disabled-key-refused',
    buildsOn: ['5/refused-key'],
    states: ['a disabled key'],
    requirement: 'A disabled key is not accepted for scans, and opens no door.',
    cells: on(SCANS, (endpoint) => showing('disabled', endpoint, expectDisabledKeyRefused)),
  },
  {
    id: '3.1/deleted-key-refused',
    buildsOn: ['5/refused-key'],
    states: ['a deleted key'],
    requirement:
      'A deleted key gets 401 with every request, whatever the ticket: no door opens, and no heartbeat is confirmed.',
    cells: on(ENDPOINTS, (endpoint) => showing('deleted', endpoint, expectKeyRefused)),
  },
  {
    id: '3.1/refused-key-takes-no-use',
    requirement: 'A request whose key is refused takes no use of the ticket.',
    cells: CONSUMES.flatMap((endpoint) =>
      (['no-key', 'unknown-key', 'disabled', 'deleted'] as const).map((variant) =>
        keepingTheUse(endpoint, variant),
      ),
    ),
  },
  {
    id: '3.1/answer-to-a-disabled-key',
    level: 'unstated',
    requirement: 'The exact answer to a key that is disabled.',
    cells: on(SCANS, (endpoint) =>
      showing('disabled', endpoint, ({ answer }) => describeAnswer(answer)),
    ),
  },
];

/** The key of an endpoint in that state. */
function keyIn(state: State, endpoint: Endpoint): KeyName {
  if (isRest(endpoint)) return state;
  return state === 'disabled' ? 'hardwareDisabled' : 'hardwareDeleted';
}

/** Shows a ticket with a key that must be refused, or sends a heartbeat with it. */
function showing<E extends Endpoint>(
  state: State,
  endpoint: E,
  judge: (exchange: Exchange, endpoint: E) => Seen,
): Omit<Cell, 'endpoint'> {
  const key = keyIn(state, endpoint);
  const isBeat = endpoint === 'heartbeat';
  return {
    keys: [key],
    ...(isBeat ? {} : decoyFor(endpoint, 1)),
    async run(scan) {
      const request = scan.request(endpoint, isBeat ? '' : scan.decoy(), key);
      return judge(await scan.sendRefused(request), endpoint);
    },
  };
}

/** A good ticket with a refused key, which must still be good afterwards. */
function keepingTheUse(endpoint: ConsumeEndpoint, variant: State | 'no-key' | 'unknown-key'): Cell {
  const key =
    variant === 'disabled' || variant === 'deleted' ? keyIn(variant, endpoint) : undefined;
  return {
    endpoint,
    variant,
    keys: [keyFor(endpoint), ...(key ? [key] : [])],
    tickets: { single: 1 },
    uses: {},
    async run(scan) {
      const { code } = scan.ticket('single');
      const keyless = keylessRequest(endpoint, code);
      const value = key ? scan.key(key) : UNKNOWN_KEY;
      const request = variant === 'no-key' ? keyless : withKey(keyless, value);
      const refused = await scan.sendRefused(request);
      if (variant === 'disabled') expectDisabledKeyRefused(refused, endpoint);
      else expectKeyRefused(refused, endpoint);
      const look = validateFor(endpoint);
      const exchange = await scan.ask(look, code);
      expectUses({ endpoint: look, exchange, used: 0, isGranted: true }, 1);
    },
  };
}
