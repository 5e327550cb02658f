import { expect, test } from 'vitest';
import { KeyboardWedge, looksLikeCode } from '../../src/dashboard/scanner/keyboard-wedge.ts';

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

const CODE = 'TS1.tkt_01234567_abcdefghijklmnopqrst.ABCDEFGH';

test.each([150, 300])('a slow scanner of %d ms a key is known by what it types', (ms) => {
  expect(type(new KeyboardWedge(), [...CODE, 'Enter'], ms)).toBe(CODE);
  expect(type(new KeyboardWedge(), [...`]Q1${CODE}`, 'Tab'], ms)).toBe(`]Q1${CODE}`);
});

test.each(['TS1.tkt', 'TS1.'])('what a person types of a code, "%s", is left alone', (typed) => {
  expect(type(new KeyboardWedge(), [...typed, 'Enter'], 200)).toBeUndefined();
});

test('a busy moment within a code does not cut it, and a letter typed before it is not of it', () => {
  const wedge = new KeyboardWedge();
  wedge.press('x', 0);
  type(wedge, [...CODE.slice(0, 20)], 8, 300);
  expect(type(wedge, [...CODE.slice(20), 'Enter'], 8, 800)).toBe(CODE);
});

test('Tab ends a code as Enter does; the other half of a line end belongs to it', () => {
  const wedge = new KeyboardWedge();
  expect(type(wedge, [...'A12345', 'Tab'], 8)).toBe('A12345');
  expect(wedge.isTail('Enter', 60)).toBe(false);
  wedge.take(60);
  expect(wedge.isTail('Enter', 68)).toBe(true);
  expect(wedge.isTail('a', 68)).toBe(false);
  // The next code, right behind it, has a line end of its own.
  wedge.press('B', 76);
  expect(wedge.isTail('Enter', 84)).toBe(false);
});

test('a code is known whatever layout or caps lock the scanner has', () => {
  const known = ['TS1.tkt_x', 'ts2.TKT_X', 'TS1:tkt?x', ']Q1TS1.tkt_x'].map(looksLikeCode);
  expect(known).toEqual([true, true, true, true]);
  expect(['tests 1', 'TS1', 'tkt_01'].map(looksLikeCode)).toEqual([false, false, false]);
});
