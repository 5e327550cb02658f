import type { FileSource, Step } from '../../device-files/schema.ts';
import { Source } from '../../device-files/source.ts';
import { isTicketCode } from '../kinds/looks-like.ts';
import type { FieldReport, RequestKind } from '../kinds/request-kinds.ts';
import type { Received } from './received.ts';

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

/** Undefined for places that device files cannot name: XML, and bytes that are no text. */
function sourceOf({ place, name }: FieldReport): FileSource | undefined {
  switch (place) {
    case 'JSON':
      return { json: name };
    case 'form':
      return { form: name };
    case 'query':
      return { query: name };
    case 'header':
      return { header: name };
    case 'text':
      return { text: true };
    default:
      return undefined;
  }
}

/** Undefined also for a member whose name no path can have. */
function valueIn(source: FileSource, message: Received['message']): string | undefined {
  try {
    return new Source(source).valueIn(message);
  } catch {
    return undefined;
  }
}
