import { expect, test } from 'vitest';
import type { Sight } from '../../src/dashboard/scanner/codes-in-picture.ts';
import { OneTicket } from '../../src/dashboard/scanner/one-ticket.ts';

const [A, B] = ['TS1.tkt_event1_aaaa.s', 'TS2.tkt_event1_bbbb.s'];
const ADDRESS = 'https://example.com/app';

const sight = (codes: readonly string[], isUnread = false): Sight => ({ codes, isUnread });

/** Looks at pictures one after the other, ten in a second. */
function watch(pictures: readonly Sight[]) {
  const oneTicket = new OneTicket();
  return pictures.map((picture, index) => oneTicket.look(picture, index * 100));
}

function times(count: number, picture: Sight): Sight[] {
  return Array.from({ length: count }, () => picture);
}

test.each([
  ['one ticket', [A], A, false],
  ['no code', [], undefined, false],
  ['two tickets', [A, B], undefined, true],
  ['a ticket and the address of an app', [ADDRESS, A], A, false],
  ['two codes of somebody else', [ADDRESS, 'WIFI:S:x;;'], undefined, true],
  ['two tickets and an address', [A, ADDRESS, B], undefined, true],
] as const)('%s in a picture', (_, codes, code, isCrowded) => {
  expect(watch([sight(codes)])).toEqual([{ code, isCrowded }]);
});

test('of two tickets none is given however long they are held there, and one that is shown alone afterwards is given at once', () => {
  const looked = watch([...times(100, sight([A, B])), sight([B])]);
  expect(looked.slice(0, -1).every(({ code, isCrowded }) => code === undefined && isCrowded)).toBe(
    true,
  );
  expect(looked.at(-1)).toEqual({ code: B, isCrowded: false });
});

test('the request stays for a moment after the tickets are gone, and then goes', () => {
  const looked = watch([sight([A, B]), ...times(30, sight([]))]);
  expect(looked[5]?.isCrowded).toBe(true);
  expect(looked.at(-1)?.isCrowded).toBe(false);
});

test('what looks like a code and is not read is said after three seconds', () => {
  const looked = watch(times(40, sight([], true)));
  expect(looked.findIndex(({ isCrowded }) => isCrowded)).toBe(30);
});

test('a page that stood still has seen nothing unread', () => {
  const oneTicket = new OneTicket();
  oneTicket.look(sight([], true), 0);
  expect(oneTicket.look(sight([], true), 60_000).isCrowded).toBe(false);
});

test('a ticket waits a moment when something unread lies beside it: that may be another ticket', () => {
  const looked = watch(times(10, sight([A], true)));
  expect(looked.findIndex(({ code }) => code === A)).toBe(5);
  const several = watch([...times(3, sight([A], true)), ...times(30, sight([A, B]))]);
  expect(several.every(({ code }) => code === undefined)).toBe(true);
});
