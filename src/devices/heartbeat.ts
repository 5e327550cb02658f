import type { DeviceContact } from '../core/scan-batch.ts';
import { accessController } from './access-controller.ts';
import { type DeviceBody, deviceText } from './device-model.ts';

/**
 * The answer to a heartbeat: the request's own `Key`, unchanged, from the body or the query, else the query's `key`
 * (section 4.5). The API key and this field differ only by case.
 */
export function heartbeatAnswer(body: DeviceBody, query: URLSearchParams): string {
  const echoed = [body.json?.['Key'], query.get('Key'), query.get('key')].find(isEchoable);
  return JSON.stringify({ Key: echoed });
}

function isEchoable(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number';
}

/** What the device says of itself; `address` is where the request came from, used when it does not say. */
export function contactFrom(body: DeviceBody, address: string): DeviceContact {
  const said = (name: string) => deviceText(body.json?.[name]) ?? '';
  return {
    model: accessController.id,
    serial: said('Serial') || said('ID'),
    address: said('IP') || address,
    firmware: said('Ver'),
  };
}
