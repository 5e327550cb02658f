import type { Cell, CheckCase, Seen } from '../cases/case.ts';
import { on } from '../cases/matrix.ts';
import { expectFields } from '../judging/expect.ts';
import { expectKeyRefused, expectNotAccepted } from '../judging/expect-key.ts';
import {
  type ConsumeEndpoint,
  DEVICE,
  isConsume,
  REST,
  type ScanEndpoint,
} from '../requests/endpoint.ts';
import { describeAnswer, type Exchange } from '../requests/exchange.ts';
import { baitFor, dashed, keyFor } from '../samples/samples.ts';
import type { KeyName } from '../target/target.ts';

/** Section 3.1: what a key can do in each of its states. */
export const KEY_STATE_CASES: readonly CheckCase[] = [
  {
    id: '3.1/disabled-key-refused',
    requirement: 'A disabled key is not accepted for scans.',
    cause: 'The active flag is not looked at, or cached for too long.',
    cells: on(REST, (endpoint) => showing('disabled', endpoint, expectNotAccepted)),
  },
  noUseCase('disabled-key', 'disabled', 'consume', 'A disabled key consumes nothing.'),
  {
    id: '3.1/disabled-hardware-key-refused',
    requirement: 'A disabled hardware key opens no door.',
    cause: 'The active flag is looked at on the REST endpoints only.',
    cells: on(DEVICE, (endpoint) =>
      showing('hardwareDisabled', endpoint, (exchange) => expectKeyRefused(exchange, endpoint)),
    ),
  },
  noUseCase(
    'disabled-hardware-key',
    'hardwareDisabled',
    'hw/consume',
    'A disabled hardware key consumes nothing.',
  ),
  ...REST.map((endpoint) =>
    deletedCase(
      `deleted-key-on-${endpoint}`,
      'deleted',
      endpoint,
      `A deleted key gets 401 on ${endpoint}, whatever the ticket.`,
    ),
  ),
  ...DEVICE.map((endpoint) => {
    const action = isConsume(endpoint) ? 'consume' : 'validate';
    return deletedCase(
      `deleted-hardware-key-on-${action}`,
      'hardwareDeleted',
      endpoint,
      `A deleted hardware key opens no door on ${action}.`,
    );
  }),
  answerCase('disabled', 'disabled', REST),
  answerCase('hardwareDisabled', 'disabled', DEVICE),
  answerCase('hardwareDeleted', 'deleted, on a device endpoint', DEVICE),
];

/** Shows a ticket with a key that must be refused. */
function showing(
  key: KeyName,
  endpoint: ScanEndpoint,
  judge: (exchange: Exchange) => Seen,
): Omit<Cell, 'endpoint'> {
  return {
    keys: [key],
    ...baitFor(endpoint, 1),
    async run(scan) {
      return judge(await scan.sendRefused(scan.request(endpoint, scan.bait(), key)));
    },
  };
}

function expectRefused(exchange: Exchange, key: KeyName, endpoint: ScanEndpoint): void {
  if (key === 'disabled') expectNotAccepted(exchange);
  else expectKeyRefused(exchange, endpoint);
}

/** A good ticket with a refused key, which must still be good afterwards. */
function keepingTheUse(key: KeyName, endpoint: ConsumeEndpoint): Cell {
  return {
    endpoint,
    variant: 'the ticket keeps its use',
    keys: [keyFor(endpoint), key],
    tickets: { single: 1 },
    uses: {},
    async run(scan) {
      const { code } = scan.ticket('single');
      const refused = await scan.sendRefused(scan.request(endpoint, code, key));
      expectRefused(refused, key, endpoint);
      if (endpoint === 'consume')
        expectFields(await scan.validate(code), { status: 'validated', usesConsumed: 0 });
      else expectFields(await scan.ask('hw/validate', code), { AcsRes: '1' });
    },
  };
}

function noUseCase(
  name: string,
  key: KeyName,
  endpoint: ConsumeEndpoint,
  requirement: string,
): CheckCase {
  return {
    id: `3.1/${name}-takes-no-use`,
    requirement,
    cause: 'The active flag is looked at on validate only.',
    cells: [keepingTheUse(key, endpoint)],
  };
}

function deletedCase(
  name: string,
  key: KeyName,
  endpoint: ScanEndpoint,
  requirement: string,
): CheckCase {
  return {
    id: `3.1/${name}`,
    requirement,
    cause: 'Deleted keys stay in a cache or are only marked.',
    cells: [
      { endpoint, ...showing(key, endpoint, (exchange) => expectKeyRefused(exchange, endpoint)) },
      ...(endpoint === 'consume' || endpoint === 'hw/consume'
        ? [keepingTheUse(key, endpoint)]
        : []),
    ],
  };
}

function answerCase(name: KeyName, state: string, endpoints: readonly ScanEndpoint[]): CheckCase {
  return {
    id: `3.1/answer-to-${dashed(name)}-key`,
    level: 'unstated',
    requirement: `The exact answer to a key that is ${state}.`,
    cause: 'The exact error response is not shown.',
    cells: on(endpoints, (endpoint: ScanEndpoint) =>
      showing(name, endpoint, ({ answer }) => describeAnswer(answer)),
    ),
  };
}
