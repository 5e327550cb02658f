import { expect, test } from 'vitest';
import { fieldEditsFrom, fieldFromText } from '../../src/core/ticket-field-values.ts';
import { TICKET_FIELD_NAMES, TICKET_FIELDS } from '../../src/core/ticket-fields.ts';
import { GERMAN_TICKET_HEADINGS } from '../../src/core/ticket-members.ts';
import {
  EXPORT_COLUMNS,
  NEW_TICKET_COLUMNS,
  RECORD_COLUMNS,
} from '../../src/tickets/lists/ticket-list.ts';

test.each([
  [{ note: '  Wheelchair ' }, { note: 'Wheelchair' }],
  [{ note: ' ' }, { note: null }],
  [{ note: null, reference: undefined }, { note: null }],
  [{ attention: true }, { attention: true }],
  [{ attention: false }, { attention: null }],
  [{ reference: 'x'.repeat(64) }, { reference: 'x'.repeat(64) }],
])('%j is stored as %j', (given, stored) => {
  expect(fieldEditsFrom(given)).toEqual(stored);
});

test.each([
  ['note', 'x'.repeat(201)],
  ['reference', 'x'.repeat(65)],
  ['reference', 'two\nlines'],
  ['note', 'turned \u202e round'],
  ['note', '\ud800'],
] as const)('a %s such as %j is refused', (name, text) => {
  expect(() => fieldEditsFrom({ [name]: text })).toThrow('A text on a ticket has at most');
  expect(() => fieldFromText(name, text)).toThrow('A text on a ticket has at most');
});

test.each([
  ['yes', true],
  ['Ja', true],
  [' X ', true],
  ['1', true],
  ['TRUE', true],
  ['no', null],
  ['nein', null],
  ['0', null],
  ['', null],
])('a cell %j of a mark means %j', (text, flag) => {
  expect(fieldFromText('attention', text)).toBe(flag);
});

test('a mark that is neither yes nor no is refused', () => {
  expect(() => fieldFromText('attention', 'perhaps')).toThrow('neither yes nor no');
});

test('every field has a heading of its own in lists, and is exported and imported under it', () => {
  for (const name of TICKET_FIELD_NAMES) {
    const [english, german] = TICKET_FIELDS[name].label;
    expect(english).not.toBe(german);
    expect(GERMAN_TICKET_HEADINGS[name]).toBe(german);
    expect(EXPORT_COLUMNS).toContain(name);
    for (const columns of [NEW_TICKET_COLUMNS, RECORD_COLUMNS])
      expect(columns[name]).toContain(german);
  }
});
