import type { Endpoint } from '../../../src/check/index.ts';

export type { Endpoint };
export const DEVICE = ['hw/validate', 'hw/consume'] as const satisfies readonly Endpoint[];
export const ENDPOINTS: readonly Endpoint[] = ['validate', 'consume', ...DEVICE, 'heartbeat'];
