import type { DeviceContact } from '../../core/scan-requests.ts';
import { MINUTE_MS } from '../../kit/durations.ts';
import { keptDeviceText } from '../../kit/text.ts';
import { accessController } from './access-controller.ts';
import { type DeviceBody, deviceText, memberOf } from './device-model.ts';

/**
 * The answer to a heartbeat: the request's own `Key`, unchanged, from the body or the query, else the query's `key`
 * (section 4.5). The API key and this field differ only by case.
 */
export function heartbeatAnswer(body: DeviceBody, query: URLSearchParams): string {
  const own = memberOf(body, 'Key');
  if (typeof body.json?.['Key'] === 'number') return `{"Key":${own}}`;
  const echoed = typeof own === 'string' ? own : (query.get('Key') ?? query.get('key'));
  return JSON.stringify({ Key: echoed });
}

const CLOCK_CHARACTERS_MAX = 20;

/** What the device reports about itself; `address` is the address of the client, used when the device sends none. */
export function contactFrom(body: DeviceBody, address: string): DeviceContact {
  const said = (name: string) => keptDeviceText(deviceText(body, name) ?? '');
  const clock = said('Now').slice(0, CLOCK_CHARACTERS_MAX);
  return {
    model: accessController.id,
    serial: said('Serial') || said('ID'),
    address: said('IP') || address,
    firmware: said('Ver'),
    ...(clock !== '' && { clock }),
  };
}

/** Date and time; the weekday at the end is left. */
const CLOCK = /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})\d{0,2}$/;
const QUARTER_MS = 15 * MINUTE_MS;

/**
 * How many milliseconds a device's clock is ahead of `at`, or null when it did not say its time.
 *
 * Devices send local time without a zone. All zones are whole quarters of an hour from UTC, so the nearest quarter is taken
 * off: a clock that is wrong by more than seven and a half minutes looks less wrong than it is.
 */
export function clockDriftMs(clock: string | null, at: number): number | null {
  const parts = CLOCK.exec(clock ?? '');
  if (!parts) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
    .slice(1)
    .map(Number);
  const aheadMs = Date.UTC(year, month - 1, day, hour, minute, second) - at;
  return aheadMs - Math.round(aheadMs / QUARTER_MS) * QUARTER_MS;
}
