import { truncateUtf8, withoutLineEnd } from '../kit/text.ts';
import { answerOf, type Outcome, statusOf } from './outcomes.ts';
import { type DeviceFile, type FileRequest, type FileScan, isNumber } from './schema.ts';
import { Condition, type Message, Source } from './source.ts';
import { escapeIn, fillIn, parseTemplate, valuesIn } from './template.ts';

/** Where a request arrived: at the Card URL or the Heart URL, or at a path of the file. */
export type Arrival =
  | { readonly at: 'card' | 'heart' }
  | { readonly at: 'path'; readonly method: string; readonly path: string };

/** What a request with a card says. */
interface ReadScan {
  /** Undefined when the request has no code that can be read. */
  readonly ticketCode: string | undefined;
  /** The serial as the device sends it; null when it sends none. */
  readonly serial: string | null;
  readonly reader: string | null;
  /** The direction that the device itself reports. */
  readonly direction?: 'in' | 'out';
}

/** A request that a device file knows. */
export type FileRead =
  | {
      readonly kind: 'scan';
      readonly operation: 'consume' | 'validate';
      readonly scan: ReadScan;
    }
  | { readonly kind: 'heartbeat'; readonly serial: string | null; readonly firmware: string }
  | { readonly kind: 'passage'; readonly serial: string | null; readonly turnedBack: boolean };

/** What is filled into an answer. */
export type AnswerValues = Readonly<Record<string, string>>;

/** An answer in the device's format. */
export interface FilledAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

const NAME_BYTES = 16;
const NOTE_BYTES = 32;
const VALUE_BYTES = 200;

/** A device file, ready for the gate: nothing of it is parsed again. */
export class FileModel {
  readonly id: string;
  readonly file: DeviceFile;
  readonly #requests: readonly Route[];
  readonly #answers = new Map<Outcome, CompiledAnswer>();
  readonly #values: readonly (readonly [name: string, read: (message: Message) => string])[];

  constructor(file: DeviceFile) {
    this.id = file.name;
    this.file = file;
    this.#requests = file.requests.map((request) => new Route(request));
    this.#values = Object.entries(file.values ?? {}).map(
      ([name, { as, else: other = '', ...source }]) => {
        const from = new Source(source);
        const isGood = (text: string) => as !== 'number' || isNumber(text);
        return [
          name,
          (message) => {
            const said = from.valueIn(message);
            return said !== undefined && isGood(said) ? truncateUtf8(said, VALUE_BYTES) : other;
          },
        ];
      },
    );
  }

  /** The methods of a path in the file; empty for an unknown path. */
  methodsAt(path: string): string[] {
    return this.#requests.filter((route) => route.path === path).map(({ method }) => method);
  }

  /** Whether the file has a request for this place. */
  isAskedAt(arrival: Arrival): boolean {
    return this.#requests.some((route) => route.isAt(arrival));
  }

  /** Reads a request; undefined when the file does not describe it. Never throws. */
  read(message: Message, arrival: Arrival): FileRead | undefined {
    return this.#requests.find((route) => route.takes(message, arrival))?.read(message);
  }

  /** The answer to an outcome. @param message the request, whose values the answer may repeat */
  answer(outcome: Outcome, values: AnswerValues, message: Message): FilledAnswer {
    const compiled = this.#compiled(outcome);
    const { name: nameBytes = NAME_BYTES, note: noteBytes = NOTE_BYTES } = this.file.limits ?? {};
    const own = compiled.repeats
      ? Object.fromEntries(this.#values.map(([name, read]) => [name, read(message)]))
      : {};
    const cut = {
      name: truncateUtf8(values['name'] ?? '', nameBytes),
      note: truncateUtf8(values['note'] ?? '', noteBytes),
    };
    const { status, contentType, write } = compiled;
    return { status, contentType, text: write({ ...own, ...values, ...cut }) };
  }

  /** The device's word for a relay. */
  relayWord(relay: 'in' | 'out'): string {
    return this.file.relay?.[relay] ?? relay;
  }

  #compiled(outcome: Outcome): CompiledAnswer {
    const known = this.#answers.get(outcome);
    if (known) return known;
    const made = compileAnswer(this.file, outcome);
    this.#answers.set(outcome, made);
    return made;
  }
}

interface CompiledAnswer {
  readonly status: number;
  readonly contentType: string;
  /** Whether the answer repeats values of the request. */
  readonly repeats: boolean;
  readonly write: (values: AnswerValues) => string;
}

function compileAnswer(file: DeviceFile, outcome: Outcome): CompiledAnswer {
  // The file was checked: every outcome has an answer, and every template can be read.
  const answer = answerOf(file, outcome) ?? {};
  const template = parseTemplate(answer.body ?? '');
  const escaping = escapeIn(template, answer.type ?? '');
  const repeated = Object.keys(file.values ?? {});
  return {
    status: statusOf(answer, outcome),
    contentType: answer.type ?? 'text/plain; charset=utf-8',
    repeats: valuesIn(template).some((name) => repeated.includes(name)),
    write: (values) => fillIn(template, values, escaping),
  };
}

/** One request of a file. */
class Route {
  readonly method: string;
  readonly path: string | undefined;
  readonly read: (message: Message) => FileRead;
  readonly #arrivesAt: 'card' | 'heart' | 'path';
  readonly #when: readonly Condition[];

  constructor(request: FileRequest) {
    this.method = request.method ?? 'POST';
    this.path = request.path;
    this.read = readerOf(request);
    const endpoint = request.kind === 'heartbeat' ? 'heart' : 'card';
    this.#arrivesAt = request.path === undefined ? endpoint : 'path';
    this.#when = (request.when ?? []).map((one) => new Condition(one));
  }

  isAt(arrival: Arrival): boolean {
    if (arrival.at !== this.#arrivesAt) return false;
    return arrival.at !== 'path' || (arrival.path === this.path && arrival.method === this.method);
  }

  takes(message: Message, arrival: Arrival): boolean {
    return this.isAt(arrival) && this.#when.every((condition) => condition.holds(message));
  }
}

function readerOf(request: FileRequest): (message: Message) => FileRead {
  const serial = textFrom(request.serial);
  switch (request.kind) {
    case 'scan':
      return scanReader(request);
    case 'heartbeat': {
      const firmware = textFrom(request.firmware);
      return (message) => ({
        kind: 'heartbeat',
        serial: serial(message),
        firmware: firmware(message) ?? '',
      });
    }
    case 'passage': {
      const turnedBack = request.turnedBack.map((one) => new Condition(one));
      return (message) => ({
        kind: 'passage',
        serial: serial(message),
        turnedBack: turnedBack.every((condition) => condition.holds(message)),
      });
    }
  }
}

function scanReader(request: FileScan): (message: Message) => FileRead {
  const { operation = 'consume' } = request;
  const code = new Source(request.code);
  const serial = textFrom(request.serial);
  const reader = textFrom(request.reader);
  const directionOf = directionReader(request);
  return (message) => {
    const direction = directionOf(message);
    const ticketCode = withoutLineEnd(code.valueIn(message) ?? '') || undefined;
    return {
      kind: 'scan',
      operation,
      scan: {
        ticketCode,
        serial: serial(message),
        reader: reader(message) ?? direction ?? null,
        ...(direction && { direction }),
      },
    };
  };
}

function directionReader({ direction }: FileScan): (message: Message) => 'in' | 'out' | undefined {
  if (!direction) return () => undefined;
  const { in: inwards, out: outwards, ...source } = direction;
  const read = textFrom(source);
  return (message) => {
    const said = read(message);
    if (said === null) return undefined;
    if (inwards.map(String).includes(said)) return 'in';
    return outwards.map(String).includes(said) ? 'out' : undefined;
  };
}

/** Null for a missing or empty value. */
function textFrom(source: FileScan['serial']): (message: Message) => string | null {
  if (!source) return () => null;
  const from = new Source(source);
  return (message) => from.valueIn(message) || null;
}
