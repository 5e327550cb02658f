import { createHmac, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TAMPERINGS } from '../../src/check/facts/tamper.ts';

const code = () =>
  `TS1.tkt_${randomBytes(9).toString('hex')}.${createHmac('sha256', randomBytes(8)).update('x').digest('base64url').slice(0, 22)}`;

test('every tampering changes every code of the documented form, and says how', () => {
  for (let i = 0; i < 200; i += 1) {
    const [one, other] = [code(), code()];
    for (const { name, spoil, what } of TAMPERINGS) {
      expect(spoil(one, other), name).not.toBe(one);
      expect(spoil(one, other), name).toBeDefined();
      expect(what).not.toBe('');
    }
  }
});

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
