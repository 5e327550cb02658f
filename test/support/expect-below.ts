import { expect } from 'vitest';

const TRIES = 3;

/**
 * Expects less than the bound in one of three tries: a busy machine is late once, a fault every time.
 * @param measure starts anew in each try, and may expect more
 */
export async function expectBelow(
  bound: number,
  measure: () => number | Promise<number>,
): Promise<void> {
  const measured: number[] = [];
  while (measured.length < TRIES) {
    measured.push(await measure());
    if ((measured.at(-1) ?? bound) < bound) return;
  }
  expect.fail(`${TRIES} tries took ${measured.join(', ')}: never below ${bound}`);
}
