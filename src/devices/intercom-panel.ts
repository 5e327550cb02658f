import { type DeviceModel, deviceText, memberOf } from './device-model.ts';

/**
 * BAS-IP intercom panels in "remote access server" mode. The panel is always told `handled`: otherwise it would
 * decide by itself.
 */
export const intercomPanel: DeviceModel = {
  id: 'bas-ip',
  contentType: 'application/json; charset=utf-8',
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
