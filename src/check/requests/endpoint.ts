import type { RequestSpec } from './exchange.ts';

/** The five endpoints of section 4, by the names that reports and baselines use. */
export const ENDPOINTS = ['validate', 'consume', 'hw/validate', 'hw/consume', 'heartbeat'] as const;
/** One of the five endpoints of section 4, such as `consume` or `hw/consume`. */
export type Endpoint = (typeof ENDPOINTS)[number];
export type ScanEndpoint = Exclude<Endpoint, 'heartbeat'>;
export type RestEndpoint = 'validate' | 'consume';
export type DeviceEndpoint = 'hw/validate' | 'hw/consume';
export type LookEndpoint = 'validate' | 'hw/validate';
export type ConsumeEndpoint = 'consume' | 'hw/consume';

export const REST: readonly RestEndpoint[] = ['validate', 'consume'];
export const DEVICE: readonly DeviceEndpoint[] = ['hw/validate', 'hw/consume'];
export const SCANS: readonly ScanEndpoint[] = [...REST, ...DEVICE];
/** Every endpoint that takes no use. */
export const LOOKS: readonly LookEndpoint[] = ['validate', 'hw/validate'];
/** Every endpoint that takes a use of a good ticket. */
export const CONSUMES: readonly ConsumeEndpoint[] = ['consume', 'hw/consume'];
/** Every endpoint that takes a hardware key. */
export const HARDWARE: readonly Endpoint[] = [...DEVICE, 'heartbeat'];

/** The path of an endpoint, below the base address. */
export function pathOf(endpoint: Endpoint): string {
  return endpoint === 'heartbeat' ? '/scan/hw/heartbeat' : `/scan/${endpoint}`;
}

const BY_PATH = new Map(ENDPOINTS.map((endpoint) => [pathOf(endpoint), endpoint]));

/** The endpoint of a request, with any method; undefined for another path. */
export function endpointAt({ path }: Pick<RequestSpec, 'path'>): Endpoint | undefined {
  return BY_PATH.get(path);
}

/** True for an endpoint of own software. */
export function isRest(endpoint: Endpoint | undefined): endpoint is RestEndpoint {
  return endpoint === 'validate' || endpoint === 'consume';
}

/** True for an endpoint that answers in the device format. */
export function isDevice(endpoint: Endpoint): boolean {
  return endpoint.startsWith('hw/');
}

/** True for an endpoint that takes a use of a good ticket. */
export function isConsume(endpoint: Endpoint): endpoint is ConsumeEndpoint {
  return endpoint.endsWith('consume');
}

/** The endpoint of the same integration type that takes no use. */
export function lookFor(endpoint: ScanEndpoint): LookEndpoint {
  return isRest(endpoint) ? 'validate' : 'hw/validate';
}

/** An endpoint as people write it (`hw/consume`, `/scan/hw/consume`), or undefined. */
export function readEndpoint(text: string): Endpoint | undefined {
  return ENDPOINTS.find((endpoint) => text === endpoint || text === pathOf(endpoint));
}
