import type { IntegrationType } from '../../core/api-key.ts';
import { withoutEndSlashes } from '../../kit/base-address.ts';

/** Section 4: every path that takes POST, and nothing else. */
export const REST_PATHS = { validate: '/scan/validate', consume: '/scan/consume' } as const;
export const HARDWARE_PATHS = {
  validate: '/scan/hw/validate',
  consume: '/scan/hw/consume',
} as const;
export const HEARTBEAT_PATH = '/scan/hw/heartbeat';
/** Whatever is answered below it goes to a device. */
export const HARDWARE_PREFIX = '/scan/hw/';
/** What comes before the value of a key and a path of a device file. */
export const DEVICES_PREFIX = '/devices/';

/** True for a path whose requests come from devices, with a hardware key. */
export function isDevicePath(url: string): boolean {
  return url.startsWith(HARDWARE_PREFIX) || url.startsWith(DEVICES_PREFIX);
}

/** The path and the query of a request's target. */
export function splitTarget(url: string): [path: string, query: string] {
  const mark = url.indexOf('?');
  return mark === -1 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)];
}

/** The part of a path below `DEVICES_PREFIX` that is the value of a key. */
export function keyInPath(url: string): string {
  const rest = url.slice(DEVICES_PREFIX.length);
  const end = rest.search(/[/?]/);
  return end === -1 ? rest : rest.slice(0, end);
}

/** Section 2.1: what a hardware key's devices are set to; nothing for the key of own software. @param device its device file */
export function deviceUrls(
  type: IntegrationType,
  value: string,
  baseUrl: string,
  device?: string | undefined,
): { cardUrl?: string; heartUrl?: string; deviceUrl?: string } {
  if (type !== 'hardware') return {};
  const base = withoutEndSlashes(baseUrl);
  return {
    cardUrl: `${base}${HARDWARE_PATHS.consume}?key=${value}`,
    heartUrl: `${base}${HEARTBEAT_PATH}?key=${value}`,
    ...(device !== undefined && { deviceUrl: `${base}${DEVICES_PREFIX}${value}` }),
  };
}
