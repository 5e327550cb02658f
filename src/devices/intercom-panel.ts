import { type DeviceModel, deviceText } from './device-model.ts';

/**
 * BAS-IP intercom panels in "remote access server" mode. The panel is always told `handled`: otherwise it would
 * decide by itself.
 */
export const intercomPanel: DeviceModel = {
  id: 'bas-ip',
  contentType: 'application/json; charset=utf-8',
  read({ json }) {
    if (!json || !Object.hasOwn(json, 'identifier_number')) return undefined;
    const content = json['identifier_number'];
    const ticketCode = typeof content === 'number' ? String(content) : content;
    return {
      ticketCode: typeof ticketCode === 'string' && ticketCode !== '' ? ticketCode : undefined,
      serial: deviceText(json['device_serial']),
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
