import type { FileSource, Step } from '../../device-files/schema.ts';
import { Source } from '../../device-files/source.ts';
import { headerOf, statusOf } from '../../kit/http1.ts';
import { bodyFields, type Field, isTicketCode, lastPartOf, sourceOf } from '../kinds/fields.ts';
import type { FieldReport, RequestKind } from '../kinds/request-kinds.ts';
import type { StoredExchange } from '../recording.ts';
import { bodyOf, isOfTicketscan, type Received } from './senders.ts';

/** Where a value is, as far as the recording tells. */
export interface Learnt {
  readonly source: FileSource;
  /** What it looks like: the reason of the guess. */
  readonly because: string;
  /** False for a ticket code: its form leaves no doubt. */
  readonly isGuess: boolean;
}

/** A request of a device, as far as the recording tells. */
export interface LearntRequest {
  readonly request: Received;
  readonly requests: number;
  readonly code: Learnt | undefined;
  readonly serial: Learnt | undefined;
  readonly reader: Learnt | undefined;
  readonly firmware: Learnt | undefined;
}

/** Finds the code, the serial and the reader in a kind of request. @param request the first of this kind */
export function learnRequest(kind: RequestKind, request: Received): LearntRequest {
  const called = (...meanings: string[]) => {
    const found = meanings.flatMap((one) =>
      kind.fields.filter(({ looksLike }) => looksLike === one),
    );
    return found
      .filter(({ changes }) => changes === undefined || changes === 'constant')
      .map((field) => learnt(field, request))
      .find((one) => one !== undefined);
  };
  return {
    request,
    requests: kind.requests,
    code: codeIn(kind, request),
    serial: called('the serial of the device', 'a serial', 'a MAC address'),
    reader: called('a reader, door or direction'),
    firmware: called('a version'),
  };
}

function learnt(field: FieldReport, { message }: Received): Learnt | undefined {
  const source = sourceOf(field);
  if (!source || valueIn(source, message) !== field.example) return undefined;
  return { source, because: field.looksLike, isGuess: true };
}

const ENCODINGS: readonly (readonly Step[])[] = [[], ['base64'], ['hex'], ['percent']];
const LINE_END: Step = 'trim-line-end';

function codeIn({ fields }: RequestKind, request: Received): Learnt | undefined {
  const sure = fields.flatMap((field) => {
    const source = sourceOf(field);
    const steps = ENCODINGS.map((decode) => [...decode, LINE_END]);
    const decode = source && steps.find((one) => isCodeAt({ ...source, decode: one }, request));
    return decode
      ? [{ source: { ...source, decode }, because: 'a ticket code', isGuess: false }]
      : [];
  });
  return sure[0] ?? guessedCode(fields, request);
}

function isCodeAt(source: FileSource, { message }: Received): boolean {
  const value = valueIn(source, message);
  return value !== undefined && isTicketCode(value);
}

const CARD_MEANINGS = [/^what the person presented$/, /^(Base64|hex) of /, /^a card number$/];

function guessedCode(fields: readonly FieldReport[], request: Received): Learnt | undefined {
  const body = fields.filter(({ place }) => place === 'text');
  const inOrder = CARD_MEANINGS.flatMap((meaning) =>
    fields.filter(({ looksLike, place }) => place !== 'header' && meaning.test(looksLike)),
  );
  // A code differs from card to card.
  const ranked = [...inOrder.filter(({ changes }) => changes === 'varies'), ...inOrder, ...body];
  const found = ranked.map((field) => learnt(field, request)).find((one) => one !== undefined);
  if (!found) return undefined;
  const [, encoding] = /^(Base64|hex) of /.exec(found.because) ?? [];
  const first: Step[] = encoding === undefined ? [] : [encoding === 'hex' ? 'hex' : 'base64'];
  return { ...found, source: { ...found.source, decode: [...first, LINE_END] } };
}

/** Undefined also for a member whose name no path can have. */
function valueIn(source: FileSource, message: Received['message']): string | undefined {
  try {
    return new Source(source).valueIn(message);
  } catch {
    return undefined;
  }
}

/** An answer that was recorded, as a template. */
export interface LearntAnswer {
  readonly status: number;
  readonly type: string | undefined;
  readonly body: string;
  readonly times: number;
  /** Undefined when it does not tell. */
  readonly opens: boolean | undefined;
  /** The field that says so; undefined where the status does. */
  readonly saidBy: Field | undefined;
}

/** The answers to scans, and why others were left out. */
export interface LearntAnswers {
  readonly answers: readonly LearntAnswer[];
  readonly ofTicketscan: number;
  /** Not complete, not UTF-8, or with the ticket code in it. */
  readonly unusable: number;
}

/** Collects the different answers of a recording. @param codes that were presented, which no file may keep */
export function learnAnswers(
  scans: readonly StoredExchange[],
  codes: ReadonlySet<string>,
): LearntAnswers {
  const known = new Map<string, LearntAnswer>();
  let ofTicketscan = 0;
  let unusable = 0;
  for (const { response } of scans) {
    const body = response?.whole ? bodyOf(response) : undefined;
    const status = statusOf(response?.head ?? '');
    if (isOfTicketscan(status, body)) ofTicketscan += 1;
    else if (!response || body === undefined || body.includes('{{') || hasOne(body, codes))
      unusable += 1;
    else {
      const type = headerOf(response.head, 'content-type');
      const template = withPlaces(body);
      const id = JSON.stringify([status, type, template]);
      const times = (known.get(id)?.times ?? 0) + 1;
      known.set(id, { status, type, body: template, times, ...guessOpening(status, body) });
    }
  }
  return { answers: [...known.values()], ofTicketscan, unusable };
}

const hasOne = (body: string, codes: ReadonlySet<string>) =>
  [...codes].some((code) => body.includes(code));

const TEXTS = 'message|msg|text|note|info|display';
const PEOPLE = 'name|user_?name|holder|person|full_?name';

/** Texts and names of people are those of one scan: their places stay, they do not. */
function withPlaces(body: string): string {
  return withPlace(withPlace(body, TEXTS, '{{note}}'), PEOPLE, '{{name}}');
}

/** Puts a place where the values of members in JSON, and of elements and attributes in XML, were. */
function withPlace(body: string, names: string, place: string): string {
  const inJson = new RegExp(`("(?:${names})"\\s*:\\s*)"(?:[^"\\\\]|\\\\.)+"`, 'gi');
  const inXml = new RegExp(`(<(?:${names})>|<[^<>]* (?:${names})=")[^"<>]+`, 'gi');
  return body.replace(inJson, `$1"${place}"`).replace(inXml, `$1${place}`);
}

const SAYS_WHETHER =
  /grant|open|allow|access|unlock|success|permit|admit|pass|valid|^ok$|^result$|^decision$|^action$|^cmd$|^command$/i;
const YES =
  /^(true|yes|ok|granted|grant|open|opened|allow|allowed|success|pass|valid|accept|accepted|permit)$/i;
const NO =
  /^(false|no|denied|deny|refused|closed?|lock|locked|shut|block|blocked|rejected|reject|fail|failed|failure|error|invalid)$/i;

/** Guesses whether an answer opens the door, from its status and words; undefined when it does not say, or says both. */
function guessOpening(status: number, body: string): Pick<LearntAnswer, 'opens' | 'saidBy'> {
  const said = bodyFields(Buffer.from(body)).filter(
    ({ place, name, value }) =>
      (place === 'text' || SAYS_WHETHER.test(lastPartOf(name))) &&
      (YES.test(value.trim()) || NO.test(value.trim())),
  );
  const [saidBy] = said;
  const yes = said.filter(({ value }) => YES.test(value.trim())).length;
  const isClear = saidBy !== undefined && (yes === 0 || yes === said.length);
  if (status >= 400) return { opens: false, saidBy: undefined };
  return isClear ? { opens: yes > 0, saidBy } : { opens: undefined, saidBy: undefined };
}
