import { DENIAL_NOTES } from '../../facts/device-answer.ts';
import { isRecord, parsedJson } from '../../facts/json.ts';
import { type Answer, pathOf, queryValues, type SeenRequest } from '../http.ts';
import type { SubjectKind } from '../session-record.ts';
import {
  type Alteration,
  type CardFacts,
  type DenialKind,
  type Format,
  type FormatFeatures,
  relayOf,
} from './format.ts';

/** Section 7.3; where it leaves the text open, the text of the reference service. */
export const DENIAL_TEXTS: Readonly<Record<DenialKind, string>> = {
  ...DENIAL_NOTES,
  refusedKey: 'Kein Zugriff',
  unreadable: 'Ungültiges Ticket',
  limited: 'Zu viele Anfragen',
  failed: 'Serverfehler',
};

/** Sections 7.1 and 5: the HTTP status of each refusal. */
const STATUS_OF: Readonly<Record<DenialKind, number>> = {
  exhausted: 200,
  forged: 200,
  expired: 200,
  notYetValid: 200,
  unknown: 404,
  outOfScope: 403,
  refusedKey: 401,
  unreadable: 400,
  limited: 429,
  failed: 500,
};

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
const CARD_PATH = /\/(consume|validate)$/;
const CARD_URL = /^\/scan\/hw\/(consume|validate)$/;
export const HEART_PATH = '/scan/hw/heartbeat';

/** What differs between the known models. */
interface KnownModel extends Pick<Format, 'id' | 'grant' | 'textOf'> {
  readonly features: Partial<FormatFeatures>;
  /** What a body in this format carries; undefined when the body is of another format. */
  read(body: string): CardFacts | undefined;
  denial(kind: DenialKind): Answer;
  /** The member that decides, with the value of an admission. */
  readonly decision?: Format['decision'];
}

/** A known model: it calls the scan URLs, with the key in the query or in a header. */
function atScanUrls(model: KnownModel): Format {
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
  return json(200, { Key: key });
}

function json(status: number, value: object): Answer {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}

function text(status: number, body: string): Answer {
  return { status, headers: { 'content-type': 'text/plain' }, body };
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

/** Section 2.4: the cloud-connected access controller. */
export const accessController: Format = atScanUrls({
  id: 'access-controller',
  features: {
    relay: true,
    seconds: true,
    name: true,
    note: true,
    heartbeat: true,
    heartbeatSerial: true,
    serial: true,
    reader: true,
    controllerFields: true,
  },
  decision: ['AcsRes', '1'],
  read(body) {
    const fields = parsedJson(body);
    if (!isRecord(fields) || !('Card' in fields)) return undefined;
    const { Card: card, Serial: serial, Reader: reader } = fields;
    if (typeof card !== 'string') return { code: undefined, serial, reader };
    return { code: Buffer.from(card, 'base64').toString('utf8'), raw: card, serial, reader };
  },
  grant: ({ name, note, relay, seconds }) =>
    json(200, {
      AcsRes: '1',
      ActIndex: String(relay),
      Time: String(seconds),
      Name: name,
      Note: note,
    }),
  denial: (kind) =>
    json(STATUS_OF[kind], { AcsRes: '0', ActIndex: '0', Time: '0', Note: DENIAL_TEXTS[kind] }),
  textOf: (kind) => DENIAL_TEXTS[kind],
});

/** A BAS-IP intercom panel, which asks a remote access server. */
const basIp: Format = atScanUrls({
  id: 'bas-ip',
  features: {},
  read(body) {
    const fields = parsedJson(body);
    if (!isRecord(fields) || !('identifier_number' in fields)) return undefined;
    const number = fields['identifier_number'];
    const code = typeof number === 'string' ? number : undefined;
    return { code, raw: code };
  },
  grant: ({ relay }) =>
    json(200, { handled: true, access: { granted: true, lock_number: relay + 1 } }),
  denial: (kind) => json(STATUS_OF[kind], { handled: true, access: { granted: false } }),
  textOf: () => '',
});

/** A Vguang or Vbar reader: plain text both ways. */
const vguang: Format = atScanUrls({
  id: 'vguang',
  features: {},
  read(body) {
    if (body === '' || parsedJson(body) !== undefined) return undefined;
    // Readers were seen with one `&` and with two.
    const code = /^vgdecoderesult=(.*?)(?:&{1,2}(?:devicenumber=.*)?)?$/s.exec(body)?.[1] ?? body;
    return { code, raw: code };
  },
  grant: () => text(200, 'code=0000'),
  denial: (kind) => text(STATUS_OF[kind], 'code=0001'),
  textOf: () => '',
});

const TICKET = { ticketId: 'tkt_check1_0123456789abcdefghij', ticketType: 'multi' } as const;

/** The results of refusals that say something about the ticket (section 2.3); the others have a message alone. */
const REFUSED: Readonly<Partial<Record<DenialKind, object>>> = {
  exhausted: {
    valid: false,
    status: 'exhausted',
    ...TICKET,
    usesAllowed: 10,
    usesConsumed: 10,
    usesRemaining: 0,
  },
  forged: { valid: false, status: 'rejected', reason: 'invalid_ticket' },
  expired: {
    ...rejectedByWindow('expired'),
    validFrom: null,
    validUntil: '2020-01-01T00:00:00.000Z',
  },
  notYetValid: {
    ...rejectedByWindow('not_yet_valid'),
    validFrom: '2099-01-01T00:00:00.000Z',
    validUntil: null,
  },
  unknown: { valid: false, status: 'not_found' },
  outOfScope: { valid: false, status: 'rejected', reason: 'event_not_allowed' },
  unreadable: { valid: false, status: 'rejected', reason: 'missing_ticket_code' },
};

function rejectedByWindow(reason: string): object {
  const uses = { usesAllowed: 10, usesConsumed: 1, usesRemaining: 9 };
  return { valid: false, status: 'rejected', reason, ...TICKET, ...uses };
}

const MESSAGES: Readonly<Record<DenialKind, string>> = {
  exhausted: 'Alle Einlässe dieser Karte sind verbraucht',
  forged: 'The ticket is not genuine',
  expired: 'This ticket has expired',
  notYetValid: 'This ticket is not valid yet',
  unknown: 'There is no such ticket',
  outOfScope: 'This gate has no access to the event of the ticket',
  refusedKey: 'Forbidden',
  unreadable: 'ticketCode is missing',
  limited: 'Too Many Requests',
  failed: 'Internal Server Error',
};

/** Own software at the REST endpoints (sections 2.3, 4.1, 4.2 and 7.2). */
const rest: Format = atScanUrls({
  id: 'rest',
  features: { note: true },
  decision: ['valid', true],
  read(body) {
    const fields = parsedJson(body);
    if (!isRecord(fields) || !('ticketCode' in fields)) return undefined;
    const code = fields['ticketCode'];
    return { code: typeof code === 'string' ? code : undefined };
  },
  grant({ note, name, used = 1, allowed = 10 }, request) {
    const consumes = pathOf(request).endsWith('/consume');
    return json(200, {
      valid: true,
      status: consumes ? 'consumed' : 'validated',
      message: note,
      ...TICKET,
      usesAllowed: allowed,
      usesConsumed: used,
      usesRemaining: allowed - used,
      holder: { firstName: name, lastName: '' },
      validFrom: null,
      validUntil: null,
      ...(consumes ? { scannedAt: new Date(request.wallMs).toISOString() } : {}),
    });
  },
  denial: (kind) => json(STATUS_OF[kind], { ...REFUSED[kind], message: MESSAGES[kind] }),
  textOf: (kind) => MESSAGES[kind],
});

/** The last one accepts any text, so it is tried last. */
const DEVICE_FORMATS: readonly Format[] = [accessController, basIp, vguang];

/** Names of the models of devices that can be judged. */
export const MODELS: readonly string[] = DEVICE_FORMATS.map(({ id }) => id);

/** The format of the subject: given by name, or detected from the first request that carries a card. */
export class KnownFormat {
  readonly #kind: SubjectKind;
  #format: Format | undefined;

  /**
   * @param model of the device, when it is known beforehand
   * @param file the format of a device file, in place of a known model
   */
  constructor(kind: SubjectKind, model: string | undefined, file?: Format | undefined) {
    this.#kind = kind;
    this.#format =
      kind === 'client' ? rest : (file ?? DEVICE_FORMATS.find(({ id }) => id === model));
  }

  /** The documented model until a request shows another. */
  get current(): Format {
    return this.#format ?? (this.#kind === 'client' ? rest : accessController);
  }

  /** False until a request showed it or it was given by name. */
  get isKnown(): boolean {
    return this.#format !== undefined;
  }

  /** Learns from a request that carries a card. */
  learn(request: SeenRequest): void {
    this.#format ??= DEVICE_FORMATS.find((format) => format.read(request)?.code !== undefined);
  }
}
