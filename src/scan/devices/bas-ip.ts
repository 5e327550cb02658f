import * as z from 'zod';
import { type DeviceModel, deviceText, memberOf } from './device-model.ts';

const Scan = z
  .looseObject({
    identifier_number: z
      .union([z.string(), z.number()])
      .meta({ description: 'the content of the QR code' }),
    device_serial: z.union([z.string(), z.number()]).optional(),
  })
  .meta({ id: 'IntercomPanelScan' });

const Granted = z
  .object({
    handled: z.literal(true),
    access: z.object({
      granted: z.literal(true),
      lock_number: z.union([z.literal(1), z.literal(2)]).meta({ description: '1 is IN, 2 is OUT' }),
    }),
  })
  .meta({ id: 'IntercomPanelGranted' });

const Denied = z
  .object({ handled: z.literal(true), access: z.object({ granted: z.literal(false) }) })
  .meta({ id: 'IntercomPanelDenied' });

/**
 * BAS-IP intercom panels in "remote access server" mode. The answer always has `handled`: otherwise it would
 * decide by itself.
 */
export const basIp: DeviceModel = {
  id: 'bas-ip',
  contentType: 'application/json; charset=utf-8',
  schemas: { scan: Scan, granted: Granted, denied: Denied },
  read(body) {
    if (!body.json || !Object.hasOwn(body.json, 'identifier_number')) return undefined;
    const content = memberOf(body, 'identifier_number');
    return {
      ticketCode: typeof content === 'string' && content !== '' ? content : undefined,
      serial: deviceText(body, 'device_serial'),
      reader: null,
    };
  },
  answer(answer) {
    const access = answer.granted
      ? { granted: true, lock_number: answer.relay === 'in' ? 1 : 2 }
      : { granted: false };
    return JSON.stringify({ handled: true, access });
  },
};
