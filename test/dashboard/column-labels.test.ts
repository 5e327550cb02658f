import { expect, test } from 'vitest';
import {
  columnLabel,
  EXISTING_COLUMNS,
  NEW_COLUMNS,
} from '../../src/dashboard/i18n/column-labels.ts';
import { DESK_TEXTS } from '../../src/dashboard/i18n/desk-texts.ts';
import { NEW_TICKET_COLUMNS, RECORD_COLUMNS } from '../../src/tickets/lists/ticket-list.ts';

test('the page lets choose the columns that an import knows, each with a word in both languages', () => {
  const { state: _, timeZone: __, ...existing } = RECORD_COLUMNS;
  const { name: ___, ...chosen } = existing;
  expect([...EXISTING_COLUMNS].toSorted()).toEqual(Object.keys(chosen).toSorted());
  expect([...NEW_COLUMNS].toSorted()).toEqual(Object.keys(NEW_TICKET_COLUMNS).toSorted());
  for (const language of ['en', 'de'] as const) {
    const labels = [...EXISTING_COLUMNS, ...NEW_COLUMNS].map((name) =>
      columnLabel(name, DESK_TEXTS[language]),
    );
    expect(labels.filter((label) => !/^\p{Lu}/u.test(label))).toEqual([]);
  }
});
