import { csvRecords } from '../../kit/csv.ts';
import { readOwnedText } from '../../kit/file-owners.ts';
import { isRecord, positionOfJsonIssue } from '../../kit/json-text.ts';
import type { Card } from '../device-events.ts';
import { readingOf, SimulateError } from '../errors.ts';

/** The ticket states of a target file whose tickets may be spent. */
const SPENDABLE_STATES = ['single', 'multi', 'permanent', 'personalised', 'windowed'];

/** What a file of cards gives. Only a target file also knows an address and a key. */
export interface CardFile {
  readonly cards: readonly Card[];
  /** The same cards by their state, for scenarios; empty where the file has no states. */
  readonly states: ReadonlyMap<string, readonly Card[]>;
  readonly baseUrl?: string | undefined;
  readonly hardwareKey?: string | undefined;
  /** The key for selected events only. */
  readonly scopedKey?: string | undefined;
  /** Why the file is somebody else's, if it is: it must not pick both secrets and the server that gets them. */
  readonly foreign?: string | undefined;
}

/**
 * Reads cards from a target file, a JSON array of tickets, a CSV with a column `code`, or a text with a code a
 * line.
 * @param states which states of a target file to take
 * @throws SimulateError when the file cannot be read or holds no card
 */
export async function readCardFile(
  path: string,
  states: readonly string[] = SPENDABLE_STATES,
): Promise<CardFile> {
  const { text, foreign } = await readingOf(path, readOwnedText);
  const file = /^\s*[[{]/.test(text) ? fromJson(text, path, states) : await fromLines(text, path);
  if (file.cards.length === 0)
    throw new SimulateError(
      `${path} contains no card. Give a target file, tickets.json, a CSV with a column "code", or a text with a code in each line.`,
    );
  for (const { code } of file.cards) refuseNoCode(code, path);
  return { ...file, foreign };
}

const CODE_CHARACTERS_MAX = 1000;

/** What no ticket has as its code is not sent: a private key, or another file. @throws SimulateError */
export function refuseNoCode(code: string, where: string): void {
  if (code.length <= CODE_CHARACTERS_MAX && !/[\r\n]/.test(code)) return;
  throw new SimulateError(
    `${where} has a card that is no ticket code: several lines, or more than ${CODE_CHARACTERS_MAX} characters. Nothing was sent.`,
  );
}

function fromJson(text: string, path: string, wanted: readonly string[]): CardFile {
  const value = parsed(text, path);
  if (Array.isArray(value)) return plain(cardsIn(value));
  const { tickets, keys, baseUrl } = value as Record<string, unknown>;
  const states = new Map<string, readonly Card[]>();
  for (const [state, list] of Object.entries(isRecord(tickets) ? tickets : {})) {
    if (Array.isArray(list)) states.set(state, cardsIn(list));
  }
  const unknown = wanted.find((state) => !states.has(state) && !SPENDABLE_STATES.includes(state));
  if (unknown !== undefined) {
    const known = [...states.keys()].join(', ') || 'none';
    throw new SimulateError(
      `${path} has no tickets in the state "${unknown}". Its states: ${known}.`,
    );
  }
  const keyNamed = (name: string) => (isRecord(keys) ? nonEmptyText(keys[name]) : undefined);
  const hardwareKey = keyNamed('hardware');
  const scopedKey = keyNamed('hardwareScoped');
  const cards = wanted.flatMap((state) => states.get(state) ?? []);
  return { cards, states, hardwareKey, scopedKey, baseUrl: nonEmptyText(baseUrl) };
}

function parsed(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new SimulateError(`${path} is not valid JSON: ${positionOfJsonIssue(text)}.`);
  }
}

function cardsIn(list: readonly unknown[]): Card[] {
  return list.flatMap((ticket) => {
    const code = isRecord(ticket) ? nonEmptyText(ticket['code']) : nonEmptyText(ticket);
    return code === undefined ? [] : [cardOf(code)];
  });
}

async function fromLines(text: string, path: string): Promise<CardFile> {
  const rows: (readonly string[])[] = [];
  for await (const record of csvRecords(linesOf(text))) {
    if ('cells' in record) rows.push(record.cells);
    else throw new SimulateError(`${path}, line ${record.line}: ${record.message}.`);
  }
  const [head = [], ...rest] = rows;
  const column = head.findIndex((name) => /^(code|ticket_?code)$/i.test(name.trim()));
  if (column < 0 && rows.some((row) => row.length > 1)) {
    const names = head.map((name) => `"${name.trim()}"`).join(', ');
    const message = `${path} has no column "code": its first line has ${names}. Name the column of the ticket codes "code".`;
    throw new SimulateError(message);
  }
  const codes = (column < 0 ? rows : rest).map((row) => row[Math.max(0, column)]?.trim() ?? '');
  return plain(codes.filter((code) => code !== '').map((code) => cardOf(code)));
}

async function* linesOf(text: string): AsyncGenerator<string> {
  yield* text.replace(/^\uFEFF/, '').split('\n');
}

function plain(cards: readonly Card[]): CardFile {
  return { cards, states: new Map() };
}

function nonEmptyText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

const SHOWN_CHARACTERS = 12;

/**
 * A card from its code. In events, reports and on screens it goes by its label: of a ticket code the ticket identifier
 * without the signature, of anything else the first characters. Whoever has the whole code has the ticket.
 */
export function cardOf(code: string, label: string = labelOf(code)): Card {
  return { code, label };
}

export function labelOf(code: string): string {
  const [, identifier, signature, ...rest] = code.split('.');
  if (identifier?.startsWith('tkt_') && signature && rest.length === 0) return identifier;
  return code.length <= SHOWN_CHARACTERS ? code : `${code.slice(0, SHOWN_CHARACTERS)}…`;
}
