import type { Cell, CheckCase } from '../cases/case.ts';
import { notStrings } from '../facts/device-answer.ts';
import {
  DEVICE,
  describeAnswer,
  isConsume,
  isDevice,
  REST,
  type RequestSpec,
  SCANS,
  type ScanEndpoint,
} from '../facts/exchange.ts';
import { isRecord, parsedJson } from '../facts/json.ts';
import { read } from '../facts/reading.ts';
import { grantedCode, grantFor, keyFor, quieterKey, sampleOf } from '../samples/samples.ts';
import {
  CLAIMS,
  type Claim,
  type FurtherMembers,
  ODD_MEMBERS,
  ODD_SENDERS,
} from '../stimuli/members.ts';

/** Sections 4 and 7.1: what a request says besides its code. */
export const FURTHER_MEMBER_CASES: readonly CheckCase[] = [
  {
    id: '4/request-decides-nothing',
    requirement:
      'A ticket that may not enter is refused, whatever the request claims: uses, a window, a time or a result in it decide nothing.',
    cells: CLAIMS.flatMap((claim) => SCANS.map((endpoint) => claimingCell(claim, endpoint))),
  },
  {
    id: '7.1/no-500-for-any-member',
    requirement:
      '500 is for unexpected errors: no number, text or further member of a body gets one, at the bounds of its type or of another type, and none comes back to a device as it was.',
    cells: [
      ...ODD_MEMBERS.flatMap((one) => REST.map((endpoint) => oddCell(one, endpoint))),
      ...ODD_SENDERS.flatMap((one) => DEVICE.map((endpoint) => oddCell(one, endpoint))),
    ],
  },
];

function claimingCell({ name, of, sent }: Claim, endpoint: ScanEndpoint): Cell {
  const sample = sampleOf(of, endpoint);
  return {
    endpoint,
    variant: name,
    samples: [sample],
    async run(scan) {
      const request = withMembers((await scan.sample(sample)).request, sent);
      const exchange = await scan.aside((aside) => aside.send(request));
      if (['granted', 'error'].includes(read(exchange.answer).outcome))
        scan.fail(
          'a refusal',
          `${describeAnswer(exchange.answer)}, where the body had ${membersOf(sent)} too`,
          exchange,
        );
    },
  };
}

/** Whether the members are taken is not said; an answer without a 5xx is. */
function oddCell({ name, sent }: FurtherMembers, endpoint: ScanEndpoint): Cell {
  return {
    endpoint,
    variant: name,
    ...grantFor(endpoint),
    async run(scan) {
      const code = grantedCode(scan, endpoint);
      // the two keys of an endpoint share the work
      const key = isConsume(endpoint) ? keyFor(endpoint) : quieterKey(scan, endpoint);
      const request = withMembers(scan.request(endpoint, code, key), sent);
      const exchange = await scan.aside((aside) => aside.send(request));
      const where = `where the body had another ${membersOf(sent)}`;
      const { answer } = exchange;
      if (read(answer).outcome === 'error')
        scan.fail('an answer without a 5xx', `${describeAnswer(answer)}, ${where}`, exchange);
      // what a device sends of any type must not come back as it is
      if (isDevice(endpoint) && isRecord(answer.json) && notStrings(answer.json).length > 0)
        scan.fail('strings only', `${describeAnswer(answer)}, ${where}`, exchange);
    },
  };
}

/** The same request with these members in its body. */
function withMembers(request: RequestSpec, sent: FurtherMembers['sent']): RequestSpec {
  const body = parsedJson(String(request.body));
  return { ...request, body: JSON.stringify({ ...(isRecord(body) ? body : {}), ...sent }) };
}

function membersOf(sent: FurtherMembers['sent']): string {
  return Object.keys(sent)
    .map((name) => JSON.stringify(name))
    .join(', ');
}
