import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { temporaryKeyring } from '../../src/config/keyring-file.ts';
import type { CodeFormat, Keyring, SigningKeyState } from '../../src/core/keyring.ts';
import { makeTicketCode, verifyTicketCode } from '../../src/core/ticket-code.ts';
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

test('a TS1 code has 58 characters: a small QR code', () => {
  expect(makeTicketCode(id, keyring, 'TS1')).toHaveLength(58);
});
