import { createHmac, createSecretKey } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hmacSha256 } from '../../src/core/hmac-sha256.ts';

const ascii = fc.string({ unit: 'binary-ascii', maxLength: 300 });

test('is the HMAC-SHA256 of node:crypto for keys and messages of every length', () => {
  const secrets = fc.uint8Array({ minLength: 1, maxLength: 200 });
  const property = fc.property(secrets, fc.array(ascii), (secret, messages) => {
    const key = createSecretKey(secret);
    for (const message of messages) {
      const expected = createHmac('sha256', key).update(message).digest();
      expect(hmacSha256(key, message, 32)).toBe(expected.toString('base64url'));
      expect(hmacSha256(key, message, 16)).toBe(expected.toString('base64url', 0, 16));
    }
  });
  fc.assert(property, { numRuns: 300 });
});
