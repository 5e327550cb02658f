/** Section 4: every path that takes POST, and nothing else. */
export const REST_PATHS = { validate: '/scan/validate', consume: '/scan/consume' } as const;
export const HARDWARE_PATHS = {
  validate: '/scan/hw/validate',
  consume: '/scan/hw/consume',
} as const;
export const HEARTBEAT_PATH = '/scan/hw/heartbeat';
