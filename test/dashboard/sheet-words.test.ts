import { expect, test } from 'vitest';
import { DESK_TEXTS } from '../../src/dashboard/i18n/desk-texts.ts';
import { sheetWords } from '../../src/features/sheet-words.ts';

test('figures and answers have the words of the page in a German file', () => {
  const German = sheetWords({ language: 'de', timeZone: 'Europe/Berlin' });
  const { closing, outcomes, statistics, tickets } = DESK_TEXTS.de;
  const { validations, undone } = statistics;
  const figures = { ...closing.figures, validations, undone, mostInside: closing.most };
  for (const [name, word] of Object.entries(figures))
    expect([name, German.heading(name)]).toEqual([name, word]);
  for (const [name, word] of Object.entries(outcomes))
    expect([name, German.cell('reason', name)]).toEqual([name, word]);
  for (const [name, word] of Object.entries(tickets.states))
    expect([name, German.cell('state', name)]).toEqual([name, word]);
});
