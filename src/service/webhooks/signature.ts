import { createHmac } from 'node:crypto';
import type { RandomBytes } from '../../kit/random.ts';
import type { WebhookSecret } from './webhook-records.ts';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** A new secret, as libraries for Standard Webhooks take it. */
export function makeSecret(random: RandomBytes): string {
  return PREFIX + Buffer.from(random(SECRET_BYTES)).toString('base64');
}

/**
 * The headers of a message (Standard Webhooks 1.0): it is signed with every secret that holds, so that a receiver can change over.
 * @param now of this attempt, milliseconds since 1970 UTC
 */
export function signedHeaders(
  id: string,
  body: string,
  secrets: readonly WebhookSecret[],
  now: number,
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const signatures = secrets
    .filter(({ until }) => until === null || until > now)
    .map(({ value }) => `v1,${signature(value, `${id}.${timestamp}.${body}`)}`);
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}

function signature(secret: string, text: string): string {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
  return createHmac('sha256', key).update(text).digest('base64');
}
