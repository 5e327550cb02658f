import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { temporaryKeyring } from '../../src/config/keyring-file.ts';
import type { CodeFormat, Keyring, SigningKeyState } from '../../src/core/ticket-code.ts';
import {
  isVerifyingOnly,
  makeTicketCode,
  signatureOf,
  splitTicketCode,
  verifyTicketCode,
} from '../../src/core/ticket-code.ts';
import { makeTicketId } from '../../src/core/ticket-id.ts';

const keyring = temporaryKeyring();
const id = makeTicketId('abcdef', randomBytes);

describe.each(['TS1', 'TS2'] as const)('%s', (format: CodeFormat) => {
  const code = makeTicketCode(id, keyring, format);
  const [, , signature = ''] = code.split('.');

  test('a genuine code says its ticket, its event and its key', () => {
    expect(verifyTicketCode(code, keyring)).toEqual({
      format,
      ticketId: id,
      eventId: 'abcdef',
      signingKeyId: keyring.find((key) => key.format === format)?.id,
    });
  });

  test('every change of a single character is noticed', () => {
    const alphabet = [
      ...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~=+/ \n\0é',
    ];
    for (let at = 0; at < code.length; at += 1) {
      for (const other of alphabet) {
        if (other === code[at]) continue;
        const changed = code.slice(0, at) + other + code.slice(at + 1);
        expect(verifyTicketCode(changed, keyring), changed).toBeUndefined();
      }
    }
  });

  test('every other spelling of the same signature bytes is refused', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const bytes = Buffer.from(signature, 'base64url');
    const aliases = [...alphabet]
      .map((last) => signature.slice(0, -1) + last)
      .filter((alias) => alias !== signature && Buffer.from(alias, 'base64url').equals(bytes));
    expect(aliases.length).toBeGreaterThan(0);
    const head = code.slice(0, -signature.length);
    for (const alias of aliases) expect(verifyTicketCode(head + alias, keyring)).toBeUndefined();
  });

  test.each([
    ['one character less', code.slice(0, -1)],
    ['one character more', `${code}A`],
    ['padding', `${code}==`],
    ['a space in front', ` ${code}`],
    ['a line end', `${code}\n`],
    ['a NUL at the end', `${code}\0`],
    ['upper case', code.toUpperCase()],
    ['a fourth segment', `${code}.x`],
    ['no signature', code.slice(0, code.lastIndexOf('.') + 1)],
    ['the other format', code.replace(format, format === 'TS1' ? 'TS2' : 'TS1')],
    ['an empty text', ''],
    ['a very long text', 'A'.repeat(100_000)],
  ])('%s is refused', (_name, text) => {
    expect(verifyTicketCode(text, keyring)).toBeUndefined();
  });

  test("another ticket's signature is refused", () => {
    const other = makeTicketCode(makeTicketId('abcdef', randomBytes), keyring, format);
    const swapped = `${format}.${id}.${other.split('.')[2]}`;
    expect(verifyTicketCode(swapped, keyring)).toBeUndefined();
  });

  test.each<[SigningKeyState, boolean]>([
    ['verify-only', true],
    ['retired', false],
  ])('what a key signed that is %s now: genuine %s', (state, genuine) => {
    const later: Keyring = [...temporaryKeyring(), ...keyring.map((key) => ({ ...key, state }))];
    expect(verifyTicketCode(code, later) !== undefined).toBe(genuine);
    expect(verifyTicketCode(makeTicketCode(id, later, format), later)).toBeDefined();
  });

  test("another deployment's code is refused", () => {
    expect(verifyTicketCode(code, temporaryKeyring())).toBeUndefined();
  });
});

test.each(['TS1', 'TS2'] as const)('without an active %s key nothing can be signed', (format) => {
  const message = `The keyring has no active ${format} key to sign with. Create one: ticketscan signing-keys rotate --format ${format}.`;
  const rings: readonly Keyring[] = [
    keyring.filter((key) => key.format !== format),
    keyring.map((key) => ({ ...key, state: 'verify-only' })),
  ];
  for (const ring of rings) {
    expect(() => makeTicketCode(id, ring, format)).toThrow(
      expect.objectContaining({ code: 'keyring', message }),
    );
  }
});

test('a keyring that only verifies signs nothing, and says where codes are made', () => {
  const ring = keyring.map((key) => ({ ...key, signingKey: null }));
  expect([isVerifyingOnly(ring), isVerifyingOnly(keyring), isVerifyingOnly([])]).toEqual([
    true,
    false,
    false,
  ]);
  for (const format of ['TS1', 'TS2'] as const) {
    expect(() => makeTicketCode(id, ring, format)).toThrow(
      expect.objectContaining({ code: 'conflict', message: expect.stringContaining('centre') }),
    );
  }
});

test('a TS1 code is verified with the secret that verifies, which then signs nothing', () => {
  const code = makeTicketCode(id, keyring, 'TS1');
  const ring = keyring.map((key) => ({ ...key, signingKey: null }));
  expect(verifyTicketCode(code, ring)?.ticketId).toBe(id);
  expect(verifyTicketCode(`${code}x`, ring)).toBeUndefined();
  for (const key of ring) {
    expect(() => signatureOf('signed', key)).toThrow(
      expect.objectContaining({ code: 'keyring', message: `Key ${key.id} cannot sign.` }),
    );
  }
});

test('a TS2 code is verified with the public key alone', () => {
  const code = makeTicketCode(id, keyring, 'TS2');
  const ring = keyring.map((key) => ({ ...key, signingKey: null }));
  expect(verifyTicketCode(code, ring)?.ticketId).toBe(id);
});

test('a code is split when it has the form, whoever signed it', () => {
  const form = { format: 'TS1', ticketId: id, eventId: 'abcdef', signed: `TS1.${id}` } as const;
  expect(splitTicketCode(`TS1.${id}.x`)).toEqual({ ...form, signature: 'x' });
  const longest = `TS1.${id}.`.padEnd(256, 'A');
  expect(splitTicketCode(longest)?.signature).toBe(longest.slice(form.signed.length + 1));
  expect(splitTicketCode(`${longest}A`)).toBeUndefined();
  for (const text of [
    `TS3.${id}.x`,
    `.${id}.x`,
    `TS1..x`,
    `TS1.${id}.`,
    `TS1.${id}`,
    `TS1.${id}.x.`,
    'TS1.x.x',
  ])
    expect(splitTicketCode(text), text).toBeUndefined();
});

test('a TS1 code has 58 characters: a small QR code', () => {
  expect(makeTicketCode(id, keyring, 'TS1')).toHaveLength(58);
});
