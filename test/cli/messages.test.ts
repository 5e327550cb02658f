import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Decision } from '../../src/core/decision.ts';
import { REFUSALS, refusalText } from '../../src/core/refusals/catalogue.ts';
import { DENIALS, UNDECIDED_NOTES } from '../../src/core/refusals/scans.ts';
import { messageFor } from '../../src/scan/http/scan-result.ts';
import type { InProcess } from '../support/in-process.ts';
import { aTicket } from '../support/tickets.ts';
import { REFUSED } from './rows/refused.ts';
import { refusedFolder, SECRETS } from './support/refused-folder.ts';

let folder: InProcess;
let words: Readonly<Record<string, string>>;
let eventIds: RegExp;

const state = async () => [
  await folder.json('audit'),
  await folder.json('store info'),
  await folder.json('signing-keys list'),
  readdirSync(folder.path),
];
let before: Awaited<ReturnType<typeof state>>;

beforeAll(async () => {
  ({ folder, words } = await refusedFolder());
  const events: { id: string }[] = await folder.json('events list');
  eventIds = new RegExp(`\\b(${events.map(({ id }) => id).join('|')})\\b`, 'g');
  before = await state();
});
afterAll(() => folder[Symbol.asyncDispose]());

/** What differs from one run to the next is left out. */
function lasting(text: string): string {
  return text
    .replaceAll(folder.path, 'FOLDER')
    .replaceAll(eventIds, 'EVENT')
    .replaceAll(/\btkt_[a-z0-9]{6}_[a-z0-9]{20}(?<!abcdefghij)/g, 'TICKET')
    .replaceAll(/\b(key|org|acc|wh|sig|bat)_[a-z0-9]{10}/g, '$1_…')
    .replaceAll(/(?<=\bseed )\d+/g, '…')
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d|\d{8}T\d{6}Z/g, 'TIME');
}

/** The messages are in one file, to be read as a whole: `vitest -u` writes it anew. */
test.each(REFUSED)('%s', async (line, exitCode, kind) => {
  const given = line.replaceAll(/\b[A-Z]{5,}\b/g, (word) => words[word] ?? word);
  const { code, failure, out, err } = await folder.run(given, SECRETS);
  expect({ code, failure, out }).toEqual({ code: exitCode, failure: kind, out: '' });
  expect(err).not.toMatch(/secret@|correct horse|internal error|^ {4}at |\.tmp/m);
  expect(lasting(err)).toMatchSnapshot();
});

test('no refused command changes anything, or leaves a file', async () => {
  expect(await state()).toEqual(before);
});

const LANGUAGES = ['en', 'de'] as const;
const VALUES = new Proxy<Record<string, string>>({}, { get: (_, name) => `{${String(name)}}` });

test('why a change is refused, in both languages', () => {
  for (const reason of Object.keys(REFUSALS))
    expect(LANGUAGES.map((one) => refusalText(reason, VALUES, one))).toMatchSnapshot(reason);
});

const REASONS = [
  'missing_ticket_code',
  'invalid_ticket',
  'event_not_allowed',
  'ticket_cancelled',
  'not_yet_valid',
  'expired',
  'not_used',
] as const;
const ticket = aTicket({ lastConsumedAt: Date.UTC(2027, 0, 2, 3, 4) });
const DECISIONS: readonly Decision[] = [
  ...(['validated', 'consumed', 'exhausted'] as const).map(
    (status) => ({ status, ticket }) as Decision,
  ),
  { status: 'not_found' },
  ...REASONS.map((reason) => ({ status: 'rejected', reason }) as Decision),
];

test('what a scan is told, in both languages, and what the display of a device shows', () => {
  for (const decision of DECISIONS) {
    const name = decision.status === 'rejected' ? decision.reason : decision.status;
    expect(LANGUAGES.map((one) => messageFor(decision, one))).toMatchSnapshot(name);
  }
  const notes = Object.entries(DENIALS).map(([name, { note }]) => [name, note]);
  expect({ ...Object.fromEntries(notes), ...UNDECIDED_NOTES }).toMatchSnapshot('displays');
});
