import { FileModel, type FilledAnswer } from '../../../../device-files/file-model.ts';
import { answerOf, type Outcome } from '../../../../device-files/outcomes.ts';
import type { DeviceFile, FileRequest } from '../../../../device-files/schema.ts';
import { parseTemplate, valuesIn } from '../../../../device-files/template.ts';
import { truncateUtf8 } from '../../../../kit/text.ts';
import type { Answer } from '../../http.ts';
import { pathOf, type SeenRequest } from '../../http.ts';
import type { DenialKind, Format, FormatFeatures, FromFile, GrantFacts } from '../format.ts';
import { NO_REQUEST, relayOf } from '../format.ts';
import { DENIAL_TEXTS, echo, HEART_PATH } from '../models.ts';
import { FileDecision } from './decision.ts';
import { FileRequests, type Known, keyInPath, messageIn } from './requests.ts';

const NAME_BYTES = 16;
const NOTE_BYTES = 32;
const TENTH_MS = 100;

const OUTCOMES: Readonly<Record<DenialKind, Outcome>> = {
  exhausted: 'exhausted',
  forged: 'invalid_ticket',
  expired: 'expired',
  notYetValid: 'not_yet_valid',
  unknown: 'not_found',
  outOfScope: 'event_not_allowed',
  refusedKey: 'key_refused',
  unreadable: 'missing_ticket_code',
  limited: 'too_many_requests',
  failed: 'server_error',
};

/** As for an unknown path. */
const NOT_FOUND: Answer = { status: 404, headers: {}, body: '' };

/**
 * How the device of a file speaks.
 * @param options of the command that choose the file
 */
export function formatFrom(file: DeviceFile, options: string): Format {
  const model = new FileModel(file);
  const requests = new FileRequests(file, model);
  const answered = (request: SeenRequest, outcome: Outcome, values = {}): Answer =>
    sent(model.answer(outcome, values, messageIn(request)));
  const grant = (
    { name, note, relay, seconds, used = 1, allowed = 10 }: GrantFacts,
    request: SeenRequest,
  ): Answer =>
    answered(request, 'granted', {
      ...{ name, note, used: String(used), allowed: String(allowed), seconds: String(seconds) },
      relay: model.relayWord(relay === 0 ? 'in' : 'out'),
    });
  const denial = (kind: DenialKind, request: SeenRequest): Answer =>
    answered(request, OUTCOMES[kind], { note: DENIAL_TEXTS[kind] });
  const decision = new FileDecision(file, denial('exhausted', NO_REQUEST));
  const cut = textsWithin(file);
  return {
    id: file.name,
    features: featuresOf(file),
    file: fromFile(file, options),
    kindOf: (request) => KINDS[requests.know(request)?.kind ?? 'passage'],
    read: (request) => cardIn(requests.know(request)),
    heartbeatSerial: (request) => serialIn(requests.know(request)),
    addresses: { card: addressOf(file, 'scan'), heartbeat: addressOf(file, 'heartbeat') },
    isAtAddress: (request) => requests.know(request)?.isAddressed ?? false,
    keysIn,
    aside: (request) => {
      const known = requests.know(request);
      if (!known) return unknownAnswer(request);
      return known.kind === 'scan' ? undefined : answered(request, known.kind);
    },
    grant,
    denial,
    altered: (answer, alteration) => decision.altered(answer, alteration),
    mayAdmit: (answer) => decision.mayAdmit(answer),
    shown: cut,
    textOf: (kind) =>
      shows(file, OUTCOMES[kind], 'note') ? cut({ name: '', note: DENIAL_TEXTS[kind] }).note : '',
    relayOf: (name) => wordOf(file, name) ?? relayOf(name),
  };
}

const KINDS = { scan: 'card', heartbeat: 'heartbeat', passage: undefined } as const;

function sent({ status, contentType, text }: FilledAnswer): Answer {
  return { status, headers: { 'content-type': contentType }, body: text };
}

function cardIn(known: Known | undefined): ReturnType<Format['read']> {
  if (known?.read?.kind !== 'scan') return undefined;
  const { ticketCode, serial, reader } = known.read.scan;
  return { code: ticketCode, serial: serial ?? undefined, reader: reader ?? undefined };
}

function serialIn(known: Known | undefined): string | undefined {
  return known?.read?.kind === 'heartbeat' ? (known.read.serial ?? undefined) : undefined;
}

/** As in the service: a request at the Heart URL that the file does not describe is a heartbeat of section 4.5. */
function unknownAnswer(request: SeenRequest): Answer {
  return pathOf(request) === HEART_PATH ? echo(request) : NOT_FOUND;
}

/** The key belongs behind /devices/, where a parameter may have any name, or, at the Card URL and the Heart URL, in the query. */
function keysIn(request: SeenRequest, key: string): string[] {
  const inPath = keyInPath(request);
  const query = [...new URLSearchParams(request.target.split('?')[1] ?? '').entries()];
  const isKey = ([name, value]: [string, string]): boolean =>
    value.includes(key) || (inPath === undefined && name === 'key');
  return [
    ...(inPath === undefined ? [] : [inPath]),
    ...query.filter(isKey).map(([, value]) => value),
  ];
}

function addressOf({ requests }: DeviceFile, kind: FileRequest['kind']): string {
  const places = requests
    .filter((one) => one.kind === kind)
    .map(({ method = 'POST', path }) =>
      path === undefined
        ? `POST /scan/hw/${kind === 'heartbeat' ? 'heartbeat' : 'consume'}`
        : `${method} /devices/$KEY${path}`,
    );
  return [...new Set(places)].join(' or ');
}

/** Whether the answer has this value, and the device reads it, where the file says what it reads. */
function shows(
  file: DeviceFile,
  outcome: Outcome,
  value: 'name' | 'note' | 'relay' | 'seconds',
): boolean {
  const template = parseTemplate(answerOf(file, outcome)?.body ?? '');
  if (!valuesIn(template).includes(value)) return false;
  return file.simulate === undefined || file.simulate[value] !== undefined;
}

function featuresOf(file: DeviceFile): FormatFeatures {
  const scans = file.requests.filter((one) => one.kind === 'scan');
  const beats = file.requests.filter((one) => one.kind === 'heartbeat');
  const { in: inwards = 'in', out: outwards = 'out' } = file.relay ?? {};
  return {
    relay: shows(file, 'granted', 'relay') && inwards.toLowerCase() !== outwards.toLowerCase(),
    seconds: shows(file, 'granted', 'seconds'),
    name: shows(file, 'granted', 'name'),
    note: shows(file, 'granted', 'note'),
    heartbeat: beats.some(({ onlyOffline }) => !onlyOffline),
    heartbeatSerial: beats.length > 0 && beats.every(({ serial }) => serial !== undefined),
    serial: scans.every(({ serial }) => serial !== undefined),
    reader: scans.every(({ reader }) => reader !== undefined),
    controllerFields: false,
  };
}

function fromFile(file: DeviceFile, options: string): FromFile {
  const { simulate, requests, title, proven, name } = file;
  const has = (kind: FileRequest['kind']) =>
    requests.some((one) => one.kind === kind && one.path === undefined);
  return {
    options,
    about: `It was judged by the device file "${name}" (${title}; proven: ${proven}).`,
    setup: {
      ...(simulate?.waitTime === undefined ? {} : { waitTimeMs: simulate.waitTime * TENTH_MS }),
      ...(simulate?.heartbeat && { heartbeatMs: simulate.heartbeat.every }),
    },
    calls: {
      paths: requests.some(({ path }) => path !== undefined),
      card: has('scan'),
      heart: has('heartbeat'),
    },
  };
}

function textsWithin({ limits }: DeviceFile): Format['shown'] {
  return ({ name, note }) => ({
    name: truncateUtf8(name, limits?.name ?? NAME_BYTES),
    note: truncateUtf8(note, limits?.note ?? NOTE_BYTES),
  });
}

function wordOf({ relay }: DeviceFile, name: string): 'IN' | 'OUT' | undefined {
  const word = name.toLowerCase();
  if (word === relay?.in.toLowerCase()) return 'IN';
  return word === relay?.out.toLowerCase() ? 'OUT' : undefined;
}
