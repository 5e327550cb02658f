import { FileModel, type FilledAnswer } from '../../../device-files/file-model.ts';
import { DeviceFileError, loadDeviceFiles } from '../../../device-files/load.ts';
import { answerMessage, openerOf } from '../../../device-files/opening.ts';
import { answerOf, type Outcome } from '../../../device-files/outcomes.ts';
import type { DeviceFile, FileCondition, FileRequest } from '../../../device-files/schema.ts';
import { parseJsonPath, Source } from '../../../device-files/source.ts';
import { parseTemplate, valuesIn } from '../../../device-files/template.ts';
import { truncateUtf8 } from '../../../kit/text.ts';
import { CheckUsageError } from '../../deployment/target.ts';
import { isRecord, parsedJson } from '../../facts/json.ts';
import { type Answer, pathOf, type SeenRequest } from '../http.ts';
import { FileRequests, type Known, keyInPath, messageIn } from './file-requests.ts';
import {
  type Alteration,
  type DenialKind,
  type Format,
  type FormatFeatures,
  type FromFile,
  type GrantFacts,
  NO_REQUEST,
  relayOf,
} from './format.ts';
import { DENIAL_TEXTS, echo, HEART_PATH, MODELS } from './models.ts';

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

type Path = readonly (string | number)[];

/** What makes an answer an admission for the device of a file: what opens (`opensWhen`). */
class FileDecision {
  readonly #file: DeviceFile;
  readonly #opens: ReturnType<typeof openerOf>;
  readonly #denial: Answer;

  /** @param denial the answer to a ticket that is used up */
  constructor(file: DeviceFile, denial: Answer) {
    this.#file = file;
    this.#opens = openerOf(file);
    this.#denial = denial;
  }

  /** True for an answer that a correct device takes for an admission. */
  mayAdmit({ status, body }: Answer): boolean {
    return this.#opens(answerMessage(status, body));
  }

  /** An admission with another decision in all of its places at once; undefined where no place of the body decides. */
  altered(grant: Answer, alteration: Alteration): Answer | undefined {
    const body = this.#file.opensWhen.reduce(
      (before, condition) => this.#alteredAt(condition, before, alteration),
      grant.body,
    );
    const answer = { ...grant, body };
    return body === grant.body || this.mayAdmit(answer) ? undefined : answer;
  }

  #alteredAt(condition: FileCondition, body: string, alteration: Alteration): string {
    const { json, status, equals } = condition;
    if (status || equals === undefined) return body;
    if (json !== undefined) return this.#alteredJson(parseJsonPath(json), body, alteration);
    const source = new Source(condition);
    const valueIn = (one: string) => source.valueIn(answerMessage(this.#denial.status, one));
    const [before, denied] = [valueIn(body), valueIn(this.#denial.body)];
    const after = alteration === 'denied' ? denied : other(before, alteration);
    // What is there twice, or encoded, cannot be changed alone.
    const isOnce = before !== undefined && before !== '' && body.split(before).length === 2;
    return isOnce && typeof after === 'string' ? body.replace(before, () => after) : body;
  }

  #alteredJson(path: Path, body: string, alteration: Alteration): string {
    const value = parsedJson(body);
    if (!isRecord(value)) return body;
    const denied = valueAt(parsedJson(this.#denial.body), path);
    put(value, path, alteration === 'denied' ? denied : other(valueAt(value, path), alteration));
    return JSON.stringify(value);
  }
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, part) =>
      typeof inner === 'object' && inner !== null
        ? (inner as Record<string | number, unknown>)[part]
        : undefined,
    value,
  );
}

/** Undefined removes the member. */
function put(value: unknown, path: Path, inner: unknown): void {
  const parent = valueAt(value, path.slice(0, -1));
  const last = path.at(-1);
  if (typeof parent !== 'object' || parent === null || last === undefined) return;
  (parent as Record<string | number, unknown>)[last] = inner;
}

/** A number that occurs in no answer. */
const ODD_NUMBER = 9998;

function other(value: unknown, alteration: Exclude<Alteration, 'denied'>): unknown {
  switch (alteration) {
    case 'missing':
      return undefined;
    case 'nested':
      return [value];
    case 'true':
      return value === true ? 'yes' : true;
    case 'longer':
      return typeof value === 'number' ? Number(`${value}0`) : `${String(value)}0`;
    case 'odd':
      if (typeof value === 'number') return ODD_NUMBER;
      return typeof value === 'string' ? `un-${value}` : null;
  }
}

/**
 * The format of a device file.
 * @param path of a file or a folder, or the name of a file that comes with the program
 * @param name of one of several files; a known model is none
 * @returns undefined when `name` is a known model
 * @throws CheckUsageError when a file cannot be used, or it is not clear which
 */
export function formatOfFile(path: string, name: string | undefined): Format | undefined {
  const files = filesAt(path);
  const names = files.map((file) => file.name);
  const file = name === undefined && files.length === 1 ? files[0] : undefined;
  const chosen = file ?? files.find((one) => one.name === name);
  if (chosen) return formatFrom(chosen, optionsOf(path, files.length > 1 ? chosen : undefined));
  if (name !== undefined && MODELS.includes(name)) return undefined;
  const known = names.join(', ');
  throw new CheckUsageError(
    name === undefined
      ? `Which of the device files? Name the model (--model): ${known}.`
      : `No device file of ${path} has the name "${name}"; there is: ${known}.`,
  );
}

function filesAt(path: string): DeviceFile[] {
  try {
    return loadDeviceFiles(path);
  } catch (error) {
    if (!(error instanceof DeviceFileError)) throw error;
    throw new CheckUsageError(error.message);
  }
}

function optionsOf(path: string, chosen: DeviceFile | undefined): string {
  const shown = /^[\w./-]+$/.test(path) ? path : `'${path}'`;
  return `--device-file ${shown}${chosen ? ` --model ${chosen.name}` : ''}`;
}
