import type { FileSource } from '../../device-files/schema.ts';
import { Source } from '../../device-files/source.ts';
import { timesOf } from '../../kit/text.ts';
import { sourceOf } from '../kinds/fields.ts';
import { RequestKinds } from '../kinds/request-kinds.ts';
import type { StoredExchange } from '../recording.ts';
import {
  type Learnt,
  type LearntAnswer,
  type LearntAnswers,
  type LearntRequest,
  learnAnswers,
  learnRequest,
} from './recognise.ts';
import { isOfUnknownDevice, type Received, received } from './senders.ts';

/**
 * Writes a device file from a recording: what is recognised, a comment at each guess, and what is missing. Requests of known models
 * are left out.
 * @param name of the device, as keys are bound to it
 * @returns YAML; undefined when no request of an unknown device is there
 */
export function learnDeviceFile(
  exchanges: readonly StoredExchange[],
  name: string,
): string | undefined {
  const requests = learnRequests(exchanges);
  if (requests.length === 0) return undefined;
  const { scans, others, codes } = scansIn(exchanges, requests);
  const heartbeat = learnAnswers(others, codes).answers[0];
  return [
    '# yaml-language-server: $schema=device-file.schema.json',
    '# Written from a recording. Check each guess.',
    'deviceFile: 1',
    `name: ${name}`,
    `title: ${name}`,
    'proven: nothing  # recording, once ticketscan record show RECORDING --device-file proves it',
    '',
    'requests:',
    ...requests.flatMap(requestLines),
    '',
    ...answerLines(learnAnswers(scans, codes), requests, heartbeat),
    '',
  ].join('\n');
}

function learnRequests(exchanges: readonly StoredExchange[]): LearntRequest[] {
  const kinds = new RequestKinds();
  const firsts: Received[] = [];
  for (const exchange of exchanges.filter(isOfUnknownDevice)) {
    const request = received(exchange.request);
    if (request && kinds.observe(exchange)) firsts.push(request);
  }
  const learnt = kinds.all().map((kind, index) => learnRequest(kind, firsts[index] as Received));
  const ids = learnt.map((one) => requestLines(one).slice(1).join('\n'));
  // A member more or less is another kind of request, and the same for a file.
  return learnt
    .filter((_one, index) => ids.indexOf(ids[index] as string) === index)
    .sort((one, other) => Number(isBare(one)) - Number(isBare(other)));
}

/** The whole body as a code matches everything: such a request comes last. */
const isBare = ({ code }: LearntRequest) => code?.source.text === true;

function scansIn(exchanges: readonly StoredExchange[], requests: readonly LearntRequest[]) {
  const sources = requests.flatMap(({ code }) => (code ? [new Source(code.source)] : []));
  const codes = new Set<string>();
  const scans: StoredExchange[] = [];
  const others: StoredExchange[] = [];
  for (const exchange of exchanges.filter(isOfUnknownDevice)) {
    const message = received(exchange.request)?.message;
    const code = message && sources.map((one) => one.valueIn(message)).find(Boolean);
    if (code) codes.add(code);
    (code ? scans : others).push(exchange);
  }
  return { scans, others, codes };
}

function requestLines({ request, requests, ...found }: LearntRequest): string[] {
  const { code, serial, reader, firmware } = found;
  const kind = code ? 'scan' : 'heartbeat';
  const why = code ? '' : '  # a guess: no ticket code was found in it';
  const fields = code ? { code, serial, reader } : { serial, firmware };
  return [
    `  # recorded ${timesOf(requests)}`,
    `  - kind: ${kind}${why}`,
    ...addressLines(request, code !== undefined),
    ...whenLines(code),
    ...Object.entries(fields).map(([name, learnt]) => fieldLine(name, learnt)),
  ];
}

const CARD_URL_METHOD = 'POST';

function addressLines({ arrival, method }: Received, isScan: boolean): string[] {
  const own = arrival.at === 'path' ? arrival.path : undefined;
  const known = arrival.at === (isScan ? 'card' : 'heart');
  const lines = method === CARD_URL_METHOD ? [] : [`    method: ${scalar(method)}`];
  if (known && lines.length === 0) return [];
  if (own !== undefined) return [...lines, `    path: ${scalar(own)}`];
  const path = isScan ? '/scan' : '/heartbeat';
  return [...lines, `    path: ${path}  # a guess: enter the Device URL of the key with this path`];
}

function whenLines(code: Learnt | undefined): string[] {
  const { decode: _steps, ...place } = code?.source ?? {};
  if (!code || place.text) return [];
  return [`    when: [${flow(place)}]  # a request with this field`];
}

function fieldLine(name: string, learnt: Learnt | undefined): string {
  if (!learnt) return `    # ${name}: was not recognised; add it if the device sends one`;
  const guess = learnt.isGuess ? `  # a guess: looks like ${meaning(learnt)}` : '';
  return `    ${name}: ${flow(learnt.source)}${guess}`;
}

function answerLines(
  { answers, ofTicketscan, unusable }: LearntAnswers,
  requests: readonly LearntRequest[],
  heartbeat: LearntAnswer | undefined,
): string[] {
  const granted = answers.find(({ opens }) => opens === true);
  const denied = answers.find(({ opens }) => opens === false);
  const others = answers.filter((one) => one !== granted && one !== denied);
  const hasHeartbeat = requests.some(({ code }) => !code);
  const known = granted || denied || hasHeartbeat;
  return [
    ...(ofTicketscan > 0 ? [TICKETSCANS] : []),
    ...(unusable > 0 ? [UNUSABLE] : []),
    `answers:${known ? '' : ' {}'}`,
    ...told('granted', granted),
    ...told('denied', denied),
    ...(hasHeartbeat ? heartbeatLines(heartbeat) : []),
    ...others.flatMap(openQuestion),
    ...openingLines(granted),
  ];
}

const TICKETSCANS =
  '# ticketscan itself answered in the recording: the answers that the device wants are in its documentation.';
const UNUSABLE =
  '# Recorded answers that are incomplete, no text, or repeat the ticket code were left out.';
const MISSING = {
  granted:
    'no recorded answer says that it opens. Present a valid card, or see the documentation of the device',
  denied:
    'no recorded answer says that it stays shut. Present a card that is refused, or see the documentation of the device',
};

function told(outcome: 'granted' | 'denied', answer: LearntAnswer | undefined): string[] {
  if (!answer) return [`  # ${outcome} is missing: ${MISSING[outcome]}.`];
  return [
    `  ${outcome}:  # a guess from ${recorded(answer)}`,
    ...partsOf(answer).map((part) => `    ${part}`),
  ];
}

function heartbeatLines(answer: LearntAnswer | undefined): string[] {
  if (!answer) return ['  heartbeat: { status: 200 }  # a guess'];
  const parts = partsOf(answer).map((part) => `    ${part}`);
  return [`  heartbeat:  # from ${recorded(answer)}`, ...parts];
}

function openQuestion(answer: LearntAnswer): string[] {
  return [
    `  # From ${recorded(answer)}: is it granted, or a denial of its own?`,
    ...partsOf(answer).map((part) => `  #   ${part}`),
  ];
}

function openingLines(granted: LearntAnswer | undefined): string[] {
  const source = granted?.saidBy && sourceOf(granted.saidBy);
  if (!granted?.saidBy || !source) {
    return [
      '',
      '# opensWhen is missing: what in an answer opens the door, such as [{ json: open, equals: true }].',
    ];
  }
  const { type, value } = granted.saidBy;
  const equals = type === 'string' ? scalar(value.trim()) : value;
  const place = flow(source).replace(/ \}$/, `, equals: ${equals} }`);
  return ['', `opensWhen: [${place}]  # a guess: what in an answer opens the door`];
}

const recorded = ({ times }: LearntAnswer) =>
  times === 1 ? 'a recorded answer' : `${times} recorded answers`;

function partsOf({ status, type, body }: LearntAnswer): string[] {
  const parts = [`status: ${status}`];
  if (type !== undefined) parts.push(`type: ${scalar(type)}`);
  if (body !== '') parts.push(`body: ${scalar(body)}`);
  return parts;
}

function flow(source: FileSource): string {
  const members = Object.entries(source).map(([name, value]) =>
    Array.isArray(value)
      ? `${name}: [${value.join(', ')}]`
      : `${name}: ${value === true ? 'true' : scalar(String(value))}`,
  );
  return `{ ${members.join(', ')} }`;
}

const PLAIN = /^[a-z/][\w./@-]*$/i;
const MEANS_ANOTHER = /^(true|false|null|yes|no|on|off|y|n)$/i;
const UNQUOTABLE = /[^ -~\u00a0-\ud7ff]/;

/** A text in YAML, on one line. */
function scalar(text: string): string {
  if (PLAIN.test(text) && !MEANS_ANOTHER.test(text)) return text;
  // A text in JSON is one in YAML.
  return UNQUOTABLE.test(text) ? JSON.stringify(text) : `'${text.replaceAll("'", "''")}'`;
}

/** The reason without the value after an encoding, which may be a code. */
const meaning = ({ because }: Learnt) => because.split(' of "', 1)[0];
