import { cutText } from './cut.ts';
import type { Level } from './level.ts';

/** A request, byte by byte as the case wants it: headers in this order, repeated ones repeated. */
export interface RequestSpec {
  readonly method?: string;
  /** Relative to the base address: `/scan/validate`. */
  readonly path: string;
  readonly query?: readonly (readonly [string, string])[];
  readonly headers?: readonly (readonly [string, string])[];
  readonly body?: string | Uint8Array;
  /** Sends the body in chunks, without saying its length beforehand (RFC 9112, 7.1). */
  readonly isChunked?: true;
}

/** What came back. */
export interface Answer {
  readonly status: number;
  /** Lower-case names; repeated ones joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The parsed body, or undefined when it is not JSON (JSON has no undefined). */
  readonly json: unknown;
  /** True where the bytes of the body were no UTF-8. */
  readonly isBroken?: true;
  /** True when the body went on beyond the size that is read; the rest was not read. */
  readonly cut: boolean;
}

/** One request and its answer, as kept for the report and the review at the end. */
export interface Exchange {
  readonly caseId: string;
  readonly level: Level;
  readonly request: RequestSpec;
  readonly answer: Answer;
  readonly startedAt: Date;
  /** The same on the steady clock of the run: exact, and no clock that is set changes it. */
  readonly startedMs: number;
  readonly durationMs: number;
  /** A 429 so early in the run, or so soon after this process stood still, that the requests from before may be the reason. */
  readonly excused?: true;
  /** True for a case that came after the requirement set of the run: no other case judges it. */
  readonly later?: true;
  /** True for one that was sent beyond the limits on purpose. */
  readonly unpaced?: true;
}

/** True for a request that a server may answer by taking a use. */
export function mayTakeUse(request: RequestSpec): boolean {
  return request.path.endsWith('/consume');
}

/** The key that a request carries, in the header of software or in the query of a device. */
export function keyIn({ headers = [], query = [] }: RequestSpec): string | undefined {
  const pairs = [
    ...headers.filter(([name]) => name.toLowerCase() === 'x-api-key'),
    ...query.filter(([name]) => name === 'key'),
  ];
  return pairs[0]?.[1];
}

/** One line: `HTTP 200 {"valid":true,…}`. */
export function describeAnswer(answer: Answer, charactersMax = 400): string {
  const text = cutText(answer.body, charactersMax);
  const isBinary = answer.isBroken && /(?!\s)\p{Cc}/u.test(text);
  if (isBinary) return `HTTP ${answer.status} (a body of binary data)`;
  const mark = text.startsWith('\ufeff') ? '(a byte-order mark) ' : '';
  return `HTTP ${answer.status} ${mark}${text.slice(mark === '' ? 0 : 1) || '(empty body)'}`;
}

/** The five endpoints of section 4, by the names that reports and baselines use. */
export const ENDPOINTS = ['validate', 'consume', 'hw/validate', 'hw/consume', 'heartbeat'] as const;
/** One of the five endpoints of section 4, such as `consume` or `hw/consume`. */
export type Endpoint = (typeof ENDPOINTS)[number];
export type ScanEndpoint = Exclude<Endpoint, 'heartbeat'>;
export type RestEndpoint = 'validate' | 'consume';
export type DeviceEndpoint = 'hw/validate' | 'hw/consume';
export type ValidateEndpoint = 'validate' | 'hw/validate';
export type ConsumeEndpoint = 'consume' | 'hw/consume';

export const REST: readonly RestEndpoint[] = ['validate', 'consume'];
export const DEVICE: readonly DeviceEndpoint[] = ['hw/validate', 'hw/consume'];
export const SCANS: readonly ScanEndpoint[] = [...REST, ...DEVICE];
/** Every endpoint that takes no use. */
export const VALIDATES: readonly ValidateEndpoint[] = ['validate', 'hw/validate'];
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
export function validateFor(endpoint: ScanEndpoint): ValidateEndpoint {
  return isRest(endpoint) ? 'validate' : 'hw/validate';
}

/** An endpoint as people write it (`hw/consume`, `/scan/hw/consume`), or undefined. */
export function readEndpoint(text: string): Endpoint | undefined {
  return ENDPOINTS.find((endpoint) => text === endpoint || text === pathOf(endpoint));
}
