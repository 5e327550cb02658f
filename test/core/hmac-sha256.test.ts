import { createHmac, createSecretKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { hmacSha256 } from '../../src/core/ticket-code.ts';
import { fc } from '../support/fast-check.ts';

// fast-check keeps to some ten characters unless told otherwise: blocks of 64 would never be passed.
const size = 'max';
const ascii = fc.string({ unit: 'binary-ascii', maxLength: 300, size });

test('is the HMAC-SHA256 of node:crypto for keys and messages of every length', () => {
  const secrets = fc.uint8Array({ minLength: 1, maxLength: 200, size });
  const property = fc.property(secrets, fc.array(ascii, { maxLength: 5 }), (secret, messages) => {
    const key = createSecretKey(secret);
    for (const message of messages) {
      const expected = createHmac('sha256', key).update(message).digest();
      expect(hmacSha256(key, message, 32)).toBe(expected.toString('base64url'));
      expect(hmacSha256(key, message, 16)).toBe(expected.toString('base64url', 0, 16));
    }
  });
  fc.assert(property, { numRuns: 300 });
});

test.each([63, 64, 65])(
  'takes a key of %d bytes as it is up to a block, and its hash beyond',
  (bytes) => {
    const key = createSecretKey(Buffer.alloc(bytes, 7));
    const expected = createHmac('sha256', key).update('TS1').digest('base64url');
    expect(hmacSha256(key, 'TS1', 32)).toBe(expected);
  },
);
