import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { temporaryKeyring } from '../../src/config/keyring-file.ts';
import type { CodeFormat, Keyring, SigningKeyState } from '../../src/core/ticket-code.ts';
import { makeTicketCode } from '../../src/core/ticket-code.ts';
import { makeTicketId } from '../../src/core/ticket-id.ts';
import { signatureFacts } from '../../src/features/explain/scan-facts.ts';

const keyring = temporaryKeyring();
const ticketId = makeTicketId('abcdef', randomBytes);
const inState = (state: SigningKeyState): Keyring => keyring.map((key) => ({ ...key, state }));
const FORM = 'It does not have the form of a ticket code: <TS1 or TS2>.<ticket id>.<signature>.';

test('the state that is told is that of the key that signed', () => {
  const later: Keyring = [...temporaryKeyring(), ...inState('verify-only')];
  const code = makeTicketCode(ticketId, keyring, 'TS1');
  expect(signatureFacts(code, later)).toMatchObject({
    signingKeyId: keyring.find((key) => key.format === 'TS1')?.id,
    signingKeyState: 'verify-only',
  });
});

test('a request without a code has no signature', () => {
  expect(signatureFacts(undefined, keyring)).toEqual({ kind: 'no_code' });
});

describe.each(['TS1', 'TS2'] as const)('%s', (format: CodeFormat) => {
  const code = makeTicketCode(ticketId, keyring, format);
  const signingKeyId = keyring.find((key) => key.format === format)?.id;

  test.each(['active', 'verify-only'] as const)(
    'a genuine code names its key, which is %s',
    (state) => {
      expect(signatureFacts(code, inState(state))).toEqual({
        kind: 'genuine',
        format,
        ticketId,
        eventId: 'abcdef',
        signingKeyId,
        signingKeyState: state,
      });
    },
  );

  const others = temporaryKeyring();
  const ids = [...keyring, ...others].filter((key) => key.format === format).map(({ id }) => id);
  test.each<[string, string, Keyring, string]>([
    [
      'of a retired key',
      code,
      inState('retired'),
      `It was signed by ${signingKeyId}, which is retired.`,
    ],
    [
      'without a key',
      code,
      keyring.filter((key) => key.format !== format),
      `The keyring has no ${format} key to verify it with.`,
    ],
    [
      'that was changed',
      code.replace(ticketId, makeTicketId('abcdef', randomBytes)),
      [...keyring, ...others],
      `None of the ${format} keys (${ids.join(', ')}) made its signature: another keyring signed it, or it was changed.`,
    ],
    [
      'without a signature',
      code.slice(0, code.lastIndexOf('.')),
      keyring,
      `${FORM} It looks like a code that the reader changed. It ends too early: the reader cut it, or the code was not whole in the picture.`,
    ],
    [
      'inside a longer text',
      code.padEnd(257, 'A'),
      keyring,
      'It has 257 characters; a ticket code has at most 256. A genuine code is inside: the ticket is not forged, the reader changed it. Something stands behind the code: switch the suffix of the reader off.',
    ],
    [
      'of 257 characters',
      'A'.repeat(257),
      keyring,
      'It has 257 characters; a ticket code has at most 256.',
    ],
    ['of 256 characters', 'A'.repeat(256), keyring, FORM],
  ])('a code %s is told from the others', (_name, text, ring, why) => {
    expect(signatureFacts(text, ring)).toEqual({ kind: 'forged', why });
  });
});
