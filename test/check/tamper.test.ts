import { createHmac, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  oneLetterOff,
  SEGMENTS,
  TAMPERINGS,
  withSkippedCharacters,
} from '../../src/check/facts/tamper.ts';
import { fc } from '../support/fast-check.ts';

const code = () =>
  `TS1.tkt_${randomBytes(9).toString('hex')}.${createHmac('sha256', randomBytes(8)).update('x').digest('base64url').slice(0, 22)}`;

test('an alias decodes to the same bytes, every other change of a signature letter to others', () => {
  const bytesOf = (text: string | undefined) =>
    Buffer.from(text?.split('.').at(-1) ?? '', 'base64url').toString('hex');
  fc.assert(
    fc.property(
      fc.constantFrom(16, 17, 32, 64),
      fc.infiniteStream(fc.nat(255)),
      (length, numbers) => {
        const signature = Buffer.from([...numbers.take(length)]).toString('base64url');
        const genuine = `TS1.tkt_a.${signature}`;
        for (const { name, spoil } of TAMPERINGS) {
          const spoiled = spoil(genuine, 'TS1.tkt_b.AAAA');
          if (name === 'signature-alias') expect(bytesOf(spoiled)).toBe(bytesOf(genuine));
          if (/^signature-(first|middle|last)-letter$/.test(name))
            expect(bytesOf(spoiled), name).not.toBe(bytesOf(genuine));
        }
      },
    ),
  );
});

test('a code of another form is spoiled where that is possible, and left out elsewhere', () => {
  const spoiled = TAMPERINGS.map(({ spoil }) => spoil('0123456789abcdef', 'fedcba9876543210'));
  expect(spoiled.filter((text) => text !== undefined).length).toBeGreaterThan(2);
  expect(spoiled).not.toContain('0123456789abcdef');
});

test('every letter of a code is changed once, alone, into one that genuine codes have there', () => {
  const [one, other] = [code(), code()];
  const differing = (changed: string) =>
    [...changed].flatMap((letter, at) => (letter === one[at] ? [] : [at]));
  const places = SEGMENTS.flatMap((segment) => oneLetterOff(one, segment, other).map(differing));
  const letters = [...one].flatMap((letter, at) => (letter === '.' ? [] : [[at]]));
  expect(places).toEqual(letters);
  const form = /^TS1\.[a-z_]+[0-9a-f]{18}\.[\w-]{22}$/;
  const identifiers = oneLetterOff(one, 'identifier', other).slice(4);
  expect(identifiers.filter((changed) => !form.test(changed))).toEqual([]);
  expect(oneLetterOff('0123456789abcdef', 'signature', other)).toEqual([]);
});

test('a changed letter of a signature never decodes to the same bytes', () => {
  const bytesOf = (text: string) => Buffer.from(text.split('.')[2] ?? '', 'base64url');
  for (let i = 0; i < 100; i += 1) {
    const genuine = code();
    // also where the other code has the same letter there
    for (const changed of oneLetterOff(genuine, 'signature', i % 2 ? code() : genuine))
      expect(bytesOf(changed)).not.toEqual(bytesOf(genuine));
  }
});

test('a foreign character comes inside each segment, where a lenient decoder finds the genuine code', () => {
  for (const turn of [0, 1, 2, 3]) {
    const genuine = code();
    const codes = withSkippedCharacters(genuine, turn);
    expect(codes.map((one) => one.code)).not.toContain(genuine);
    for (const segment of SEGMENTS) {
      const spaced = codes.filter((one) => one.segment === segment && one.code.includes(' '));
      expect(spaced.map((one) => one.code.replace(' ', ''))).toEqual([genuine]);
      expect(spaced[0]?.code).not.toMatch(/^ | $|\. | \./);
    }
  }
  const alias = withSkippedCharacters('TS1.tkt_ab.x-y_z', 0).at(-1);
  expect(alias).toMatchObject({ segment: 'signature', code: 'TS1.tkt_ab.x+y/z' });
  expect(withSkippedCharacters('opaque', 0)).toEqual([]);
});
