import { expect, test } from 'vitest';
import { RetryLater } from '../../../src/core/errors.ts';
import {
  type Attempt,
  byCurrentPassword,
  byKnownDevice,
  byNewName,
  byStranger,
  Throttle,
} from '../../../src/features/accounts/throttle.ts';
import { TestClock } from '../../support/clock.ts';

/** The seconds to wait; 0 when the attempt is let through. */
function waitOf(throttle: Throttle, attempt: Attempt): number {
  try {
    throttle.attempt(attempt);
    return 0;
  } catch (error) {
    if (error instanceof RetryLater) return error.retryAfterSeconds;
    throw error;
  }
}

test('many attempts at once do not slip through together', () => {
  const throttle = new Throttle(new TestClock());

  const waits = Array.from({ length: 20 }, () => waitOf(throttle, byStranger('ada', '10.0.0.1')));

  expect(waits.filter((wait) => wait === 0)).toHaveLength(5);
});

test('guesses from many places keep strangers out for seconds only, and known browsers not at all', () => {
  const clock = new TestClock();
  const throttle = new Throttle(clock);
  for (let guess = 0; guess < 5000; guess += 1) {
    waitOf(throttle, byStranger('ada', `10.0.${guess % 250}.${Math.floor(guess / 250)}`));
    clock.advance(100);
  }

  const wait = waitOf(throttle, byStranger('ada', '192.168.1.1'));

  expect(wait).toBeGreaterThan(0);
  expect(wait).toBeLessThanOrEqual(5);
  expect(waitOf(throttle, byKnownDevice('ada', 'laptop'))).toBe(0);
});

test('a known browser has a bound of its own, and all of an account have one together', () => {
  const throttle = new Throttle(new TestClock());
  const guess = (device: string) => waitOf(throttle, byKnownDevice('ada', device));

  const ofOne = Array.from({ length: 20 }, () => guess('stolen'));
  expect(ofOne.filter((wait) => wait === 0)).toHaveLength(5);
  expect(guess('laptop')).toBe(0);

  const ofMany = Array.from({ length: 100 }, (_, index) => guess(`stolen ${index}`));
  expect(ofMany.filter((wait) => wait === 0)).toHaveLength(50 - 6);
  expect(Math.max(...ofMany)).toBeLessThanOrEqual(5);
});

test('an address that guesses many names is slowed down as a whole', () => {
  const throttle = new Throttle(new TestClock());

  const waits = Array.from({ length: 40 }, (_, index) =>
    waitOf(throttle, byStranger(`n${index}`, '10.0.0.1')),
  );

  expect(waits.filter((wait) => wait === 0)).toHaveLength(30);
  expect(waitOf(throttle, byStranger('n1', '10.0.0.2'))).toBe(0);
});

test('an IPv6 network of 64 bits is one place, however its addresses are written', () => {
  const throttle = new Throttle(new TestClock());
  const spellings = ['2001:db8::', '2001:DB8:0:0:', '2001:db8:0:0:ffff:', '2001:0db8::1:'];

  const waits = Array.from({ length: 40 }, (_, index) => {
    const spelt = `${spellings[index % spellings.length]}${index.toString(16)}`;
    const address = spelt.includes('::')
      ? spelt
      : `${spelt}${':1'.repeat(8 - spelt.split(':').length)}`;
    return waitOf(throttle, byStranger(`n${index}`, address));
  });

  expect(waits.filter((wait) => wait === 0)).toHaveLength(30);
  expect(waitOf(throttle, byStranger('n1', '2001:db8:0:1::1'))).toBe(0);
});

test('who signs in with one account cannot use that to guess others without end', () => {
  const throttle = new Throttle(new TestClock());
  const mine = byStranger('mine', '10.0.0.1');
  let guesses = 0;
  for (let round = 0; round < 100; round += 1) {
    if (waitOf(throttle, mine) === 0) throttle.succeeded(mine);
    if (waitOf(throttle, byStranger(`n${round}`, '10.0.0.1')) === 0) guesses += 1;
  }

  expect(guesses).toBe(30);
});

test('the current password is counted by account, and a right one is not counted', () => {
  const throttle = new Throttle(new TestClock());
  for (let change = 0; change < 50; change += 1) {
    throttle.attempt(byCurrentPassword('ada'));
    throttle.succeeded(byCurrentPassword('ada'));
  }
  const wrong = Array.from({ length: 20 }, () => waitOf(throttle, byCurrentPassword('ada')));

  expect(wrong.filter((wait) => wait === 0)).toHaveLength(5);
  expect(waitOf(throttle, byCurrentPassword('bob'))).toBe(0);
});

test('names cannot be tried without end, also not with a good one now and then', () => {
  const throttle = new Throttle(new TestClock());
  const attempt = byNewName('org_a');
  let tried = 0;
  for (let round = 0; round < 100; round += 1) {
    if (waitOf(throttle, attempt) === 0) throttle.succeeded(attempt);
    if (waitOf(throttle, attempt) === 0) tried += 1;
  }

  expect(tried).toBe(10);
  expect(waitOf(throttle, byNewName('org_b'))).toBe(0);
});
