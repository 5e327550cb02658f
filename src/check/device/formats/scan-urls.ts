import { isRecord, parsedJson } from '../../facts/json.ts';
import type { Answer } from '../wire/answer.ts';
import { pathOf, queryValues, type SeenRequest } from '../wire/seen-request.ts';
import {
  type Alteration,
  type CardFacts,
  type Format,
  type FormatFeatures,
  relayOf,
} from './format.ts';

/** What differs between the known models. */
interface KnownModel extends Pick<Format, 'id' | 'grant' | 'textOf'> {
  readonly features: Partial<FormatFeatures>;
  /** What a body in this format carries; undefined when the body is of another format. */
  read(body: string): CardFacts | undefined;
  denial(kind: Parameters<Format['denial']>[0]): Answer;
}

const NO_FEATURES: FormatFeatures = {
  relay: false,
  seconds: false,
  name: false,
  note: false,
  heartbeat: false,
  heartbeatSerial: false,
  serial: false,
  reader: false,
  controllerFields: false,
};

/** A known model: it calls the scan URLs, with the key in the query or in a header. */
export function atScanUrls(model: KnownModel): Format {
  return {
    ...model,
    features: { ...NO_FEATURES, ...model.features },
    kindOf: (request) => {
      if (isHeartbeat(request)) return 'heartbeat';
      const isCard = CARD_PATH.test(pathOf(request)) || model.read(request.body) !== undefined;
      return isCard ? 'card' : undefined;
    },
    read: ({ body }) => model.read(body),
    heartbeatSerial: ({ body }) => fieldsOf(body)['Serial'],
    addresses: { card: 'POST /scan/hw/consume', heartbeat: 'POST /scan/hw/heartbeat' },
    isAtAddress: (request) => {
      const path = pathOf(request);
      const isThere = isHeartbeat(request) ? path === HEART_PATH : CARD_URL.test(path);
      return request.method === 'POST' && isThere;
    },
    keysIn: (request) => queryValues(request, 'key'),
    aside: (request) => (isHeartbeat(request) ? echo(request) : undefined),
    altered,
    mayAdmit: () => false,
    shown: ({ name, note }) => ({ name, note }),
    relayOf,
  };
}

const CARD_PATH = /\/(consume|validate)$/;
const CARD_URL = /^\/scan\/hw\/(consume|validate)$/;
export const HEART_PATH = '/scan/hw/heartbeat';

function fieldsOf(body: string): Readonly<Record<string, unknown>> {
  const fields = parsedJson(body);
  return isRecord(fields) ? fields : {};
}

/** Section 4.5: what arrives at the Heart URL, or at another path in the form of a heartbeat. */
function isHeartbeat(request: SeenRequest): boolean {
  if (pathOf(request).endsWith('/heartbeat')) return true;
  const fields = fieldsOf(request.body);
  return 'Key' in fields && !('Card' in fields);
}

/** Section 4.5: one field `Key`, with the value of the request. */
export function echo(request: SeenRequest): Answer {
  const inBody = fieldsOf(request.body)['Key'];
  const key = inBody ?? queryValues(request, 'Key')[0] ?? queryValues(request, 'key')[0] ?? '';
  const body = JSON.stringify({ Key: key });
  return { status: 200, headers: { 'content-type': 'application/json' }, body };
}

/** The values of the decision in each alteration, for `AcsRes` and for a member that is true or false. */
const VALUES: Readonly<Record<Alteration, readonly [text: unknown, flag: unknown]>> = {
  denied: ['0', false],
  missing: [undefined, undefined],
  odd: ['2', 1],
  longer: ['10', 'true'],
  nested: [['1'], [true]],
  true: [true, 'yes'],
};

function altered(grant: Answer, alteration: Alteration): Answer {
  const before = parsedJson(grant.body);
  const [text, flag] = VALUES[alteration];
  if (!isRecord(before)) return { ...grant, body: 'code=0002' };
  const decision =
    'access' in before
      ? { access: { granted: flag } }
      : 'valid' in before
        ? { valid: flag }
        : { AcsRes: text };
  const beside = 'valid' in before || 'AcsRes' in before ? besides(before, alteration) : {};
  return { ...grant, body: JSON.stringify({ ...before, ...decision, ...beside }) };
}

/** Members that a gate may take for the decision when it is missing or a denial. */
function besides(grant: Readonly<Record<string, unknown>>, alteration: Alteration): object {
  if (alteration === 'missing') return { result: grant };
  if (alteration !== 'denied' || !('valid' in grant)) return {};
  return { validated: true, validUntil: '2099-01-01T00:00:00.000Z' };
}
