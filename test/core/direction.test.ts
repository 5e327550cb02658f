import { describe, expect, test } from 'vitest';
import { areReaders, READERS_MAX, readersIn } from '../../src/core/direction.ts';

describe('the directions of readers as they are typed', () => {
  test.each([
    ['', {}],
    [' none ', {}],
    ['0=in', { 0: 'in' }],
    [' 0 = in , 1=out ', { 0: 'in', 1: 'out' }],
    ['01=in,2.0=out,1e1=in', { 1: 'in', 2: 'out', 10: 'in' }],
    ['*=out,side-door=in', { '*': 'out', 'side-door': 'in' }],
    [' ', {}],
    [' none ', {}],
  ])('%j', (text, readers) => {
    expect(readersIn(text)).toEqual(readers);
  });

  test.each([
    ['no direction', '0'],
    ['an unknown direction', '0=up'],
    ['two directions', '0=in=out'],
    ['a reader twice, in two spellings', '1=in,01=out'],
    ['no reader', '=in'],
    ['a number of seventeen digits', '00000000000000001=in'],
    ['a reader that none can be', 'a b=in'],
    ['a number after other letters', 'x 1=in'],
    ['more readers than a key has', Array.from({ length: 65 }, (_, at) => `${at}=in`).join()],
  ])('%s: none', (_name, text) => {
    expect(readersIn(text)).toBeUndefined();
  });

  test('as many readers as a key may have', () => {
    const names = Array.from({ length: READERS_MAX }, (_, at) => String(at));
    expect(areReaders(names)).toBe(true);
    expect(areReaders([...names, 'x'])).toBe(false);
    expect(areReaders(['0', 'a b'])).toBe(false);
  });
});
