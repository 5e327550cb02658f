import type { IntegrationType } from '../../core/api-key.ts';

/** Section 4: every path that takes POST, and nothing else. */
export const REST_PATHS = { validate: '/scan/validate', consume: '/scan/consume' } as const;
export const HARDWARE_PATHS = {
  validate: '/scan/hw/validate',
  consume: '/scan/hw/consume',
} as const;
export const HEARTBEAT_PATH = '/scan/hw/heartbeat';
/** Whatever is answered below it goes to a device. */
export const HARDWARE_PREFIX = '/scan/hw/';

/** An address that paths can be appended to. */
export function withoutEndSlashes(url: string): string {
  return url.replace(/(?<!\/)\/+$/, '');
}

/** Section 2.1: what a hardware key's devices are set to; nothing for the key of own software. */
export function deviceUrls(
  type: IntegrationType,
  value: string,
  baseUrl: string,
): { cardUrl?: string; heartUrl?: string } {
  if (type !== 'hardware') return {};
  const base = withoutEndSlashes(baseUrl);
  return {
    cardUrl: `${base}${HARDWARE_PATHS.consume}?key=${value}`,
    heartUrl: `${base}${HEARTBEAT_PATH}?key=${value}`,
  };
}
