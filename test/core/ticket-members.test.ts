import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  GERMAN_TICKET_HEADINGS,
  HOLDER_LABELS,
  memberOf,
  TICKET_MEMBER_NAMES,
} from '../../src/core/ticket-members.ts';
import { TICKETS } from '../../src/stores/ticket-row.ts';
import { formOf } from '../../src/tickets/lists/headings.ts';
import { EXPORT_COLUMNS, RECORD_COLUMNS } from '../../src/tickets/lists/ticket-list.ts';

const LABELS = [
  ...TICKET_MEMBER_NAMES.map((name) => memberOf(name).label),
  ...Object.values(HOLDER_LABELS),
];

const DESCRIBED_IN = /core\/ticket-(?:members|fields)\.ts$/;

/** Columns that an import calls otherwise than JSON does. */
const COLUMN_OF: Readonly<Record<string, string>> = { ticketType: 'type', usesAllowed: 'uses' };

/** Other ideas that have the same words: the state of a ticket or an answer, the date of any record, what a scan is about. */
const OTHER_IDEAS: Readonly<Record<string, readonly string[]>> = {
  'ticket-texts.ts': ['Cancelled'],
  'scan-words.ts': ['Cancelled'],
  'general-texts.ts': ['Created'],
  'live-texts.ts': ['Event'],
  'administration-texts.ts': ['Event'],
  'site-texts.ts': ['Event'],
};

test('each member of a ticket is described, once, and what a database keeps is no other', () => {
  expect(TICKET_MEMBER_NAMES.toSorted()).toEqual(Object.keys(TICKETS.columns).toSorted());
  const others = globSync('src/**/*.{ts,tsx}').filter((file) => !DESCRIBED_IN.test(file));
  const again = others.flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    const allowed = OTHER_IDEAS[file.split('/').at(-1) ?? ''] ?? [];
    const written = LABELS.filter(([english, german]) =>
      text.includes(`['${english}', '${german}']`),
    );
    return written
      .filter(([english]) => !allowed.includes(english))
      .map(([english]) => `${file}: ${english}`);
  });
  expect(again).toEqual([]);
});

describe('the heading of a German list', () => {
  test.each(Object.entries(GERMAN_TICKET_HEADINGS))(
    '%s, %s, is known to an import',
    (name, heading) => {
      const column = COLUMN_OF[name] ?? name;
      const known = Object.entries(RECORD_COLUMNS).filter(([own, others]) =>
        [own, ...others].some((one) => formOf(one) === formOf(heading)),
      );
      expect(known.map(([own]) => own)).toEqual([column]);
    },
  );

  test('there is one for each column of an export', () => {
    const columns = [...EXPORT_COLUMNS, 'timeZone'];
    expect(columns.toSorted()).toEqual(Object.keys(GERMAN_TICKET_HEADINGS).toSorted());
  });
});
