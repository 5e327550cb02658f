import { expect, test } from 'vitest';
import { VirtualTime } from '../../src/simulate/time.ts';

test('actions run in the order of their times, and those of one moment in the order in which they were asked for', () => {
  const time = new VirtualTime();
  const seen: string[] = [];
  const delays = [5, 1, 5, 3, 1, 5, 2, 4, 1, 5];
  delays.forEach((delay, index) => {
    time.after(delay, () => seen.push(`${delay}/${index}`));
  });
  time.runUntil(10);

  expect(seen).toEqual(['1/1', '1/4', '1/8', '2/6', '3/3', '4/7', '5/0', '5/2', '5/5', '5/9']);
});

test('time stands at the moment of the action while it runs, and where it was told to stop afterwards', () => {
  const time = new VirtualTime(1000);
  const seen: number[] = [];
  time.after(7, () => {
    seen.push(time.nowMs());
    time.after(2, () => seen.push(time.nowMs()));
  });
  time.runUntil(8);
  expect(seen).toEqual([7]);
  expect(time.nowMs()).toBe(8);
  time.runUntil(20);
  expect(seen).toEqual([7, 9]);
  expect(time.wallMs()).toBe(1020);
});

test('a cancelled action does not run', () => {
  const time = new VirtualTime();
  const seen: number[] = [];
  const timer = time.after(1, () => seen.push(1));
  time.after(2, () => seen.push(2));
  time.cancel(timer);
  time.runUntil(5);

  expect(seen).toEqual([2]);
});

test('running on until something is so says whether it came about', () => {
  const time = new VirtualTime();
  let done = false;
  time.after(3, () => {
    done = true;
  });
  time.after(9, () => undefined);

  expect(time.runWhile(() => done)).toBe(true);
  expect(time.nowMs()).toBe(3);
  expect(time.runWhile(() => false)).toBe(false);
});
