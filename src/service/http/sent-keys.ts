import { describeSecret } from '../scan/refusal-log.ts';
import type { ScanService } from '../scan/scan-service.ts';
import type { RequestHead } from './exchange.ts';
import { DEVICES_PREFIX, HARDWARE_PREFIX, isDevicePath } from './scan-paths.ts';

/** The keys that a request to a scan path sends, where its endpoint looks for them (section 5); several are refused. */
export function sentKeys({ url = '', headers }: RequestHead): string[] {
  if (url.startsWith(HARDWARE_PREFIX)) {
    const mark = url.indexOf('?');
    return mark === -1 ? [] : new URLSearchParams(`&${url.slice(mark + 1)}`).getAll('key');
  }
  if (url.startsWith(DEVICES_PREFIX)) return [keyInPath(url)];
  const value = headers['x-api-key'];
  // Node joins headers of one name, and no key contains a comma.
  return typeof value === 'string' ? value.split(', ') : (value ?? []);
}

/** The part of a device's path that is the value of its key. */
export function keyInPath(url: string): string {
  const rest = url.slice(DEVICES_PREFIX.length);
  const end = rest.search(/[/?]/);
  return end === -1 ? rest : rest.slice(0, end);
}

/**
 * The key of a request as a log may show it. One that was accepted is named by its id; one that was refused is not looked
 * up again.
 * @param status of the decision; null when there is no answer
 */
export function keyFields(
  service: Pick<ScanService, 'knownKey'>,
  status: number | null,
  request: RequestHead,
): { keyId: string } | { key: string | null } {
  const [value] = sentKeys(request);
  if (value === undefined) return { key: null };
  const type = isDevicePath(request.url ?? '') ? 'hardware' : 'api';
  const key = status === 401 ? undefined : service.knownKey(value, type);
  return key ? { keyId: key.id } : { key: describeSecret(value) };
}
