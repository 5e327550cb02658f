import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DESK_TEXTS } from '../../src/dashboard/i18n/desk-texts.ts';

const PAGE = readFileSync('docs/gate/a-day-at-the-desk.md', 'utf8');
const [TEXT = '', TABLE = ''] = PAGE.split('## The words in German');

/** The German texts of each English one: the same word may stand in several places. */
const GERMAN = new Map<string, Set<string>>();

function collect(english: unknown, german: unknown): void {
  if (typeof english === 'string' && typeof german === 'string')
    GERMAN.set(english, (GERMAN.get(english) ?? new Set()).add(german));
  else if (typeof english === 'object' && english !== null)
    for (const [name, value] of Object.entries(english))
      collect(value, (german as Record<string, unknown>)[name]);
}
collect(DESK_TEXTS.en, DESK_TEXTS.de);
// Those of them that count.
collect(DESK_TEXTS.en.tickets.eraseHolders(1), DESK_TEXTS.de.tickets.eraseHolders(1));
collect(DESK_TEXTS.en.scanner.countedOutAgain(2), DESK_TEXTS.de.scanner.countedOutAgain(2));

const WORDS = [...new Set([...TEXT.matchAll(/\*([^*\n]+)\*/gu)].map(([, word = '']) => word))];
const ROWS = [...TABLE.matchAll(/^\| ([^|]+) \| ([^|]+) \|$/gmu)].slice(1);

test('the page for the desk uses the words that stand on the screen', () => {
  // It says what these words look like.
  const others = WORDS.filter((word) => !GERMAN.has(word) && word !== 'italics');
  expect(WORDS.length).toBeGreaterThan(40);
  expect(others).toEqual([]);
});

test('the page for the desk has the German of each of its words, and of no other', () => {
  const rows = ROWS.map(([, english = '', german = '']) => [
    english,
    GERMAN.get(english)?.has(german) ?? false,
  ]);
  expect(rows.filter(([, isRight]) => !isRight)).toEqual([]);
  const differing = WORDS.filter((word) => GERMAN.has(word) && !GERMAN.get(word)?.has(word));
  expect(rows.map(([english]) => english).toSorted()).toEqual(differing.toSorted());
});
