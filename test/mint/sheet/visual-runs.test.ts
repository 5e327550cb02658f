import { expect, test } from 'vitest';
import { visualRuns } from '../../../src/tickets/sheets/text.ts';

/** Two fonts: one with everything but Arabic and pictures, one with Arabic. */
function covers(font: number, text: string): boolean {
  const isArabic = /[\u0600-\u06ff]/u.test(text);
  const isPicture = /\p{Extended_Pictographic}/u.test(text);
  return !isPicture && (font === 1) === isArabic;
}

function textsOf(line: string): string[] {
  return visualRuns(line, 2, covers).runs.map(({ text }) => text);
}

test('Latin and Greek stand as they are written', () => {
  expect(textsOf('Ελένη Smith')).toEqual(['Ελένη Smith']);
});

test('words of Arabic stand from right to left, each shaped as a whole', () => {
  expect(textsOf('أحمد علي')).toEqual(['علي', ' ', 'أحمد']);
});

test('digits inside Arabic stand from left to right', () => {
  // The layout engine takes Arabic digits for letters and turns them around; turned before, they come out right.
  expect(textsOf('علي ٤٥٦')[0]).toBe('٦٥٤');
  expect(textsOf('علي 123')[0]).toBe('123');
});

test('brackets around Arabic face the right way', () => {
  expect(textsOf('(علي)').join('')).toBe('(علي)');
});

test('what no font has is one box for each character as people count them, and is told', () => {
  const { runs, missing } = visualRuns('Zoë 👩‍👩‍👧 🎟️', 2, covers);

  expect(runs.map(({ text }) => text).join('')).toBe('Zoë □ □');
  expect(missing).toEqual(['👩‍👩‍👧', '🎟️']);
});
