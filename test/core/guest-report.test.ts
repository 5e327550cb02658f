import { expect, test } from 'vitest';
import { DeviceNames } from '../../src/core/gate-name.ts';
import type { Guest } from '../../src/core/guest-holdings.ts';
import { storedAboutGuest } from '../../src/core/guest-report.ts';
import type { LogEntry } from '../../src/core/records.ts';
import { changeTexts, scanText } from '../../src/features/privacy/commands/report-text.ts';

const ANNA = { firstName: 'AnnaFirst', lastName: 'AnnaLast' };
const BERT = { firstName: 'BertFirst', lastName: 'BertLast' };
const CLARA = { firstName: 'ClaraFirst', lastName: 'ClaraLast' };
const DEVICES = new DeviceNames([{ keyId: 'key_1', serial: 'T1', name: 'North gate' }]);
const ZONE = 'UTC';
const START = Date.UTC(2028, 0, 1, 12);
const minute = (minutes: number) => START + minutes * 60_000;

function scanAt(minutes: number, more: Partial<LogEntry>): LogEntry {
  return {
    sequence: minutes,
    at: minute(minutes),
    keyId: 'key_1',
    serial: 'T1',
    reader: null,
    operation: 'consume',
    status: 'consumed',
    reason: null,
    ticketId: 'tkt_1',
    excerpt: null,
    usesConsumed: 1,
    replayed: false,
    ...more,
  };
}

function edited(minutes: number, before: object, after: object) {
  const details = { before, after };
  return { at: minute(minutes), act: 'ticket.edit', subject: 'tkt_1', details };
}

function undone(minutes: number, sequence: number, reason: string) {
  const details = { sequence, reason };
  return { at: minute(minutes), act: 'ticket.undo', subject: 'tkt_1', details };
}

const undo = (sequence: number, reason: string) => ({ sequence, by: 'StaffName', reason });

/** A ticket of Anna, then of Bert. The use of Anna is taken back when the ticket is that of Bert. */
const PASSED_ON = {
  ticket: { holder: BERT, createdAt: START },
  scans: [
    scanAt(1, { undoneBy: 12 }),
    scanAt(2, { keyId: 'acc_staffname1', serial: null, byHand: true }),
    scanAt(11, { direction: 'out', status: 'validated', done: 'opened' }),
    scanAt(12, { status: 'undone', operation: 'undo', undo: undo(1, 'AnnaReason') }),
    scanAt(13, { status: 'rejected', reason: 'expired', serial: 'T2' }),
    scanAt(14, { undoneBy: 15 }),
    scanAt(15, { status: 'undone', operation: 'undo', undo: undo(14, 'BertReason') }),
  ],
  changes: [
    edited(5, { note: 'AnnaNote1' }, { note: 'AnnaNote2' }),
    edited(
      10,
      { holder: ANNA, note: 'AnnaNote2', reference: 'AnnaRef', attention: true },
      { holder: BERT, note: 'BertNote1', reference: 'BertRef', attention: null },
    ),
    undone(12, 1, 'AnnaReason'),
    edited(13, { note: 'BertNote1' }, { note: 'BertNote2' }),
    undone(15, 14, 'BertReason'),
  ],
  gateName: (place: Parameters<DeviceNames['gate']>[0]) => DEVICES.gate(place, () => 'Turnstiles'),
};

function wordsFor(guest: Guest, stored: Parameters<typeof storedAboutGuest>[1] = PASSED_ON) {
  const { scans, changes, ...about } = storedAboutGuest(guest, stored);
  const texts = [
    ...scans.map((scan) => scanText(scan, ZONE)),
    ...changes.flatMap((change) => changeTexts(change, ZONE)),
  ];
  const all = [...texts, JSON.stringify({ scans, changes, about })].join('\n');
  return { texts: texts.map((text) => text.replace(/^.*? {2}/u, '')), all, scans, ...about };
}

test('each guest of a ticket is told the own scans and changes in words, and nothing of the other', () => {
  const anna = wordsFor(ANNA);
  expect(anna.all).not.toMatch(/Bert|Staff|acc_/);
  expect(anna.texts).toEqual([
    expect.stringMatching(/^let in at North gate \(device T1\), taken back on 2028-01-01 12:12/),
    'let in by hand',
    expect.stringMatching(/^the use of 2028-01-01 12:01\S* was taken back: AnnaReason$/),
    'note changed: from AnnaNote1 to AnnaNote2',
    'name changed: from AnnaFirst AnnaLast to the name of another guest',
    'note changed: from AnnaNote2 to what was written for another guest',
    'reference changed: from AnnaRef to what was written for another guest',
    'attention changed: from yes to none',
    'a use was taken back: AnnaReason',
  ]);

  const bert = wordsFor(BERT);
  expect(bert.all).not.toMatch(/Anna|Staff/);
  expect(bert.texts.slice(0, 4)).toEqual([
    'way out at North gate (device T1)',
    'refused: expired at Turnstiles (T2)',
    expect.stringMatching(/^let in at North gate \(device T1\), taken back on 2028-01-01 12:15/),
    expect.stringMatching(/^the use of 2028-01-01 12:14\S* was taken back: BertReason$/),
  ]);
});

test('the JSON of a scan has all that the log keeps, but not which account scanned', () => {
  const { scans } = wordsFor(ANNA);
  expect(scans).toMatchObject([
    { sequence: 1, key: 'key_1', gate: 'North gate', serial: 'T1', takenBack: { sequence: 12 } },
    { byHand: true, key: null, gate: null, direction: null },
    { takesBack: { sequence: 1, at: scans[0]?.at }, takenBackBecause: 'AnnaReason' },
  ]);
});

test('a guest between two others is told neither, also where a file was edited by hand meanwhile', () => {
  const changes = [
    edited(5, { holder: ANNA }, { holder: BERT }),
    edited(8, { holder: BERT, note: 'BertNote' }, { holder: CLARA, note: 'ClaraNote' }),
  ];
  for (const holder of [CLARA, ANNA]) {
    const stored = { ...PASSED_ON, ticket: { holder, createdAt: START }, scans: [], changes };
    expect(wordsFor(BERT, stored).all).not.toMatch(/Anna|Clara/);
    expect(wordsFor(CLARA, stored).all).not.toMatch(/Anna|Bert/);
    expect(wordsFor(ANNA, stored).all).not.toMatch(/Bert|Clara/);
  }
});

test('what happened before a ticket was given its first name is about that guest', () => {
  const changes = [edited(5, { holder: null }, { holder: ANNA })];
  const stored = { ...PASSED_ON, ticket: { holder: ANNA, createdAt: START }, changes };
  const { held, scans } = wordsFor(ANNA, stored);
  expect(held).toEqual([{ from: new Date(START).toISOString(), until: null }]);
  expect(scans).toHaveLength(PASSED_ON.scans.length);
});

test('a ticket whose name was erased before it was given another is no longer told to that guest', () => {
  const erased = { at: minute(4), act: 'ticket.erase', subject: 'tkt_1', details: {} };
  const changes = [erased, edited(5, { holder: null }, { holder: BERT })];
  const stored = { ...PASSED_ON, ticket: { holder: BERT, createdAt: START }, changes };
  const { scans } = wordsFor(BERT, stored);
  expect(scans.map(({ sequence }) => sequence)).toEqual([11, 13, 14, 15]);
});

test('whose use was taken back is not guessed where the log of it was pruned', () => {
  const stored = { ...PASSED_ON, scans: PASSED_ON.scans.slice(2) };
  expect(wordsFor(BERT, stored).all).not.toMatch(/Anna/);
});
