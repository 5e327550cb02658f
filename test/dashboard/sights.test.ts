import { expect, test } from 'vitest';
import { problemOf } from '../../src/dashboard/scanner/camera.ts';
import { Sights } from '../../src/dashboard/scanner/sights.ts';

/** Looks at pictures one after the other, ten in a second. @returns the codes that counted */
function watch(sights: Sights, pictures: readonly (readonly string[])[], from = 0): string[] {
  return pictures.flatMap((codes, index) => sights.look(codes, from + index * 100));
}

/** @param kept what is kept while the camera is off */
function newSights(kept: { text?: string } = {}, wall = 0): Sights {
  const write = (text: string | undefined) => {
    if (text !== undefined) kept.text = text;
  };
  return new Sights({ kept: { read: () => kept.text, write }, wallNow: () => wall });
}

function seconds(count: number, ...codes: string[]): string[][] {
  return Array.from({ length: count * 10 }, () => codes);
}

test('a code in view counts once, and again after it was away for three seconds', () => {
  const sights = newSights();
  const pictures = [...seconds(2, 'a'), ...seconds(2), ...seconds(2, 'a'), ...seconds(4), ['a']];
  expect(watch(sights, pictures)).toEqual(['a', 'a']);
});

test('each code has its own time: two cards held there by turns count once each', () => {
  const sights = newSights();
  const turns = Array.from({ length: 20 }, (_, turn) => seconds(1, turn % 2 === 0 ? 'a' : 'b'));
  expect(watch(sights, turns.flat())).toEqual(['a', 'b']);
});

test('a time in which no picture was looked at is no time out of view', () => {
  const sights = newSights();
  expect(sights.look(['a'], 0)).toEqual(['a']);
  expect(sights.look(['a'], 4000)).toEqual([]);
  expect(sights.look([], 60_000)).toEqual([]);
  expect(sights.look(['a'], 120_000)).toEqual([]);
});

test('a sight that was not taken counts as none', () => {
  const sights = newSights();
  expect(sights.look(['a'], 0)).toEqual(['a']);
  sights.forget('a');
  expect(sights.look(['a'], 100)).toEqual(['a']);
  expect(sights.look(['a'], 200)).toEqual([]);
});

test('two codes in one picture are two scans', () => {
  expect(newSights().look(['a', 'b'], 0)).toEqual(['a', 'b']);
});

test('codes of a picture that does not count stay new, and one that counted stays in view', () => {
  const sights = newSights();
  expect(sights.look(['a'], 0)).toEqual(['a']);
  for (let at = 100; at < 8000; at += 100) sights.lookPast(['a', 'b'], at);
  expect(sights.look(['a'], 8000)).toEqual([]);
  expect(sights.look(['b'], 8100)).toEqual(['b']);
});

test('a code that comes back in a picture that does not count is still new afterwards', () => {
  const sights = newSights();
  expect(sights.look(['a'], 0)).toEqual(['a']);
  for (let at = 100; at < 3000; at += 100) sights.look([], at);
  sights.lookPast(['a', 'b'], 3000);
  expect(sights.look(['a'], 3100)).toEqual(['a']);
});

test.each([
  ['NotAllowedError', 'cameraRefused'],
  ['SecurityError', 'cameraRefused'],
  ['NotFoundError', 'cameraNone'],
  ['OverconstrainedError', 'cameraNone'],
  ['NotReadableError', 'cameraInUse'],
  ['AbortError', 'cameraInUse'],
  ['TypeError', 'cameraFailed'],
])('the camera that is not given because of %s is told as %s', (name, problem) => {
  expect(problemOf(new DOMException('', name))).toBe(problem);
});

test('a code that lay there when the camera went off is not new when it is on again', () => {
  const kept: { text?: string } = {};
  const sights = newSights(kept);
  expect(watch(sights, [...seconds(2, 'a'), ...seconds(1)])).toEqual(['a']);
  sights.keep();
  expect(kept.text).not.toContain('"a"');
  expect(watch(newSights(kept, 59_000), [...seconds(1, 'a', 'b')])).toEqual(['b']);
  expect(watch(newSights(kept, 59_000), [...seconds(4), ['a']])).toEqual(['a']);
  expect(watch(newSights(kept, 120_000), [['a']])).toEqual(['a']);
});

test.each(['', 'null', '{}', '{"at":0}', '[]', '{"at":0,"codes":5}', '{"at":"x","codes":[]}'])(
  'what is kept as %s is nothing',
  (text) => {
    expect(watch(newSights({ text }), [['a']])).toEqual(['a']);
  },
);

test('pictures with something unread say little about what is out of view', () => {
  const sights = newSights();
  const unread = (from: number, count: number) => {
    for (let at = from; at < from + count * 1000; at += 100) sights.lookPast([], at, true);
  };
  expect(sights.look(['a'], 0)).toEqual(['a']);
  unread(100, 10);
  expect(sights.look(['a'], 10_200)).toEqual([]);
  unread(10_300, 20);
  expect(sights.look(['a'], 30_400)).toEqual(['a']);
});
