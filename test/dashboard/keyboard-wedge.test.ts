import { expect, test } from 'vitest';
import { KeyboardWedge, RepeatGuard } from '../../src/dashboard/scanner/code-sources.ts';

/** Types a text with so many milliseconds between two keys. */
function type(wedge: KeyboardWedge, keys: readonly string[], betweenMs: number, from = 0) {
  return keys.map((key, index) => wedge.press(key, from + index * betweenMs)).at(-1);
}

test('quick characters and Enter are a code, with capitals as the scanner shifts them', () => {
  const keys = ['Shift', 'T', 'Shift', 'S', '1', '.', 't', 'k', 't', 'Enter'];
  expect(type(new KeyboardWedge(), keys, 8)).toBe('TS1.tkt');
});

test('what a person types is left alone', () => {
  expect(type(new KeyboardWedge(), [...'hello', 'Enter'], 150)).toBeUndefined();
});

test('a pause begins a new code', () => {
  const wedge = new KeyboardWedge();
  type(wedge, [...'half'], 8);
  expect(type(wedge, [...'whole', 'Enter'], 8, 1000)).toBe('whole');
});

test('a single Enter presses no code out', () => {
  expect(new KeyboardWedge().press('Enter', 0)).toBeUndefined();
});

test('a code in view counts once, and again after it was away for three seconds', () => {
  const guard = new RepeatGuard();
  const sights = [0, 100, 2900, 5800, 8900].map((at) => guard.isNew('TS1.a', at));
  expect(sights).toEqual([true, false, false, false, true]);
  expect(guard.isNew('TS1.b', 8950)).toBe(true);
});
