import { answerMessage, openerOf } from '../../device-files/opening.ts';
import type { DeviceFile, FileRequest, FileSimulation } from '../../device-files/schema.ts';
import { Condition, type Message, Source } from '../../device-files/source.ts';
import { escapeFor, fillIn, parseTemplate, percent } from '../../device-files/template.ts';
import { SimulateError } from '../errors.ts';
import type { WireAnswer, WireRoute } from '../wire.ts';
import {
  type CardReading,
  type DeviceModel,
  type RequestFacts,
  unreadable,
  type WireBody,
} from './device-model.ts';

const WAIT_TIME = 50;

/**
 * A device as its file describes it (ADR 0110).
 * @throws SimulateError for a file without `simulate`
 */
export function modelFromFile(file: DeviceFile): DeviceModel {
  const { simulate, requests, name } = file;
  if (!simulate) {
    throw new SimulateError(
      `The device file "${name}" does not say how to simulate the device: add the member simulate to it.`,
    );
  }
  const scan = requestMaker(simulate.scan, routeOf(requests, 'scan'));
  return {
    id: name,
    defaultWaitTime: simulate.waitTime ?? WAIT_TIME,
    cardBody: (code, facts) => scan({ code: encoded(code, simulate.scan.encode ?? []) }, facts),
    readCardAnswer: answerReader(file, simulate),
    heart: heartOf(simulate, file),
    passage: passageOf(simulate, requests),
    // The service in memory speaks the known models only.
    standIn: { codeOf: () => undefined, answer: () => '' },
  };
}

function routeOf(
  requests: readonly FileRequest[],
  kind: FileRequest['kind'],
): WireRoute | undefined {
  const request = requests.find((one) => one.kind === kind);
  if (request?.path === undefined) return undefined;
  return { method: request.method ?? 'POST', path: request.path, query: '' };
}

type Values = Readonly<Record<string, string>>;

/** Templates are parsed once, not for each card. */
function requestMaker(
  { type = '', query = '', body = '' }: Omit<FileSimulation['scan'], 'encode'>,
  route: WireRoute | undefined,
): (own: Values, facts: RequestFacts) => WireBody {
  const bodyTemplate = parseTemplate(body);
  const queryTemplate = parseTemplate(query);
  const escaping = escapeFor(type) ?? percent;
  return (own, { serial, reader, index, clockMs }) => {
    const time = String(Math.floor(clockMs / 1000));
    const values = { ...own, serial, reader: String(reader), index: String(index), time };
    return {
      contentType: type,
      body: fillIn(bodyTemplate, values, escaping),
      ...(route && { route: { ...route, query: fillIn(queryTemplate, values, percent) } }),
    };
  };
}

function encoded(code: string, steps: NonNullable<FileSimulation['scan']['encode']>): string {
  return steps.reduce((text, step) => Buffer.from(text, 'utf8').toString(step), code);
}

function heartOf(
  { heartbeat }: FileSimulation,
  { requests, answers }: DeviceFile,
): DeviceModel['heart'] {
  if (!heartbeat) return undefined;
  const expected = answers.heartbeat?.status ?? 200;
  const make = requestMaker(heartbeat, routeOf(requests, 'heartbeat'));
  return {
    defaultEveryMs: heartbeat.every,
    body: (facts) => make({}, facts),
    fault: ({ status }) => (status === expected ? undefined : `HTTP ${status} to a heartbeat`),
  };
}

function passageOf(
  { passage }: FileSimulation,
  requests: readonly FileRequest[],
): DeviceModel['passage'] {
  const route = routeOf(requests, 'passage');
  if (!passage || !route) return undefined;
  const turned = requestMaker(passage.turned, route);
  const turnedBack = requestMaker(passage.turnedBack, route);
  return (isBack, facts) => (isBack ? turnedBack : turned)({}, facts);
}

function answerReader(
  file: DeviceFile,
  simulate: FileSimulation,
): (answer: WireAnswer) => CardReading {
  const opens = openerOf(file);
  const denied = simulate.denied.map((one) => new Condition(one));
  const textOf = (source: FileSimulation['note']) => {
    const from = source && new Source(source);
    return (message: Message) => from?.valueIn(message);
  };
  const [relay, seconds, name, note] = [
    textOf(simulate.relay),
    textOf(simulate.seconds),
    textOf(simulate.name),
    textOf(simulate.note),
  ];
  return ({ status, body }) => {
    const message = answerMessage(status, body);
    const isGranted = opens(message);
    const isDenied = denied.every((one) => one.holds(message));
    if (isGranted === isDenied) {
      const what = isGranted ? 'both a grant and a denial' : 'neither a grant nor a denial';
      return unreadable(`the answer to a card is ${what}`);
    }
    return {
      granted: isGranted,
      relay: isGranted ? (relay(message) ?? 'IN') : undefined,
      openSeconds: Number(seconds(message)) || undefined,
      name: name(message) ?? '',
      note: note(message) ?? '',
      deviations: [],
    };
  };
}
