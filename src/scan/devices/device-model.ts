import type * as z from 'zod';
import { digitsOf } from '../../kit/json-text.ts';

/** A request body as it came: every model looks at it and says whether it is its own. */
export interface DeviceBody {
  /** The body as text; undefined when it is not UTF-8. */
  readonly text: string | undefined;
  /** The body as a JSON object; undefined for any other body. */
  readonly json: Readonly<Record<string, unknown>> | undefined;
}

/** What a device asks. */
export interface DeviceScan {
  /** The content of the QR code; undefined when the device sent none that can be read. */
  readonly ticketCode: string | undefined;
  /** The serial as the device sends it, not shortened; null when it sends none. */
  readonly serial: string | null;
  /** Set where serial and reader do not distinguish devices: models share a number, or the reader cannot be read. */
  readonly sharesSerial?: true;
  /** The reader as the device sent it; even is an entrance, odd an exit, where nothing else is configured. */
  readonly reader: string | null;
  /** The direction that the device itself reports. */
  readonly direction?: 'in' | 'out';
}

/** The scan of a request that no model reads. */
export const UNREADABLE: DeviceScan = { ticketCode: undefined, serial: null, reader: null };

/** The answer to a device. Texts are at most as long as displays show (section 2.4). */
export type DeviceAnswer =
  | {
      readonly granted: true;
      readonly relay: 'in' | 'out';
      readonly openSeconds: number;
      readonly name: string;
      readonly note: string;
    }
  | { readonly granted: false; readonly note: string };

/** The bodies of one family of devices, as the OpenAPI document shows them. Nothing is checked with them at a gate. */
export interface DeviceSchemas {
  readonly scan: z.ZodType;
  readonly granted: z.ZodType;
  readonly denied: z.ZodType;
}

/** Translates one family of devices. Pure; `read` never throws. */
export interface DeviceModel {
  readonly id: string;
  /** The content type of the answer. */
  readonly contentType: string;
  readonly schemas: DeviceSchemas;
  /** Undefined when the body is not of this model. */
  read(body: DeviceBody): DeviceScan | undefined;
  /** The body of the answer, in the device's own format. */
  answer(answer: DeviceAnswer): string;
}

/** A member of a body in JSON: a number in its own digits, otherwise the value. */
export function memberOf({ text, json }: DeviceBody, name: string): unknown {
  const value = json?.[name];
  return typeof value === 'number' ? digitsOf(text ?? '', name) : value;
}

/**
 * The value of a member in the body of a device, as text: serials arrive as numbers, and numbers as strings. Null for any
 * other type.
 */
export function deviceText(body: DeviceBody, name: string): string | null {
  const value = memberOf(body, name);
  return typeof value === 'string' && value !== '' ? value : null;
}

/** What devices send that nobody gave a serial, folded; and the serials in the public samples of their makers. */
const PLACEHOLDERS = new Set([
  'unknown',
  'n/a',
  'none',
  'null',
  'nan',
  'undefined',
  'default',
  'serial',
  'sn',
  'test',
  'to be filled by o.e.m.',
  '001',
]);

/** Matches a text without a letter or a digit but 0. */
const ZEROS = /^[^1-9\p{L}]*$/u;
const ONE_CHARACTER = /^(.)\1{3,}$/u;
const SEPARATORS = /[^\p{L}\p{N}]/gu;

/**
 * True when a serial says which device it is. Many devices send the same placeholder: what is known of one of them must not be
 * taken for something about another.
 */
export function identifiesDevice(serial: string): boolean {
  const folded = serial.normalize('NFKC').trim().replaceAll(/\s+/g, ' ').toLowerCase();
  if (ZEROS.test(folded) || PLACEHOLDERS.has(folded)) return false;
  // Such as FF:FF:FF:FF:FF:FF.
  return !ONE_CHARACTER.test(folded) && !ONE_CHARACTER.test(folded.replaceAll(SEPARATORS, ''));
}
