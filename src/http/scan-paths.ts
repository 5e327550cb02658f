/** Section 4: every path that takes POST, and nothing else. */
export const REST_PATHS = { validate: '/scan/validate', consume: '/scan/consume' } as const;
export const HARDWARE_PATHS = {
  validate: '/scan/hw/validate',
  consume: '/scan/hw/consume',
} as const;
export const HEARTBEAT_PATH = '/scan/hw/heartbeat';

const SCAN_PATHS = new Set<string>([
  ...Object.values(REST_PATHS),
  ...Object.values(HARDWARE_PATHS),
  HEARTBEAT_PATH,
]);

export function isScanPath(path: string): boolean {
  return SCAN_PATHS.has(path);
}
