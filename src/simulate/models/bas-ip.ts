import type { WireAnswer } from '../wire.ts';
import {
  type CardReading,
  type DeviceModel,
  jsonObject,
  unreadable,
  type WireBody,
} from './device-model.ts';

/** A BAS-IP intercom panel in "remote access server" mode. It has no heartbeat and shows texts of its own. */
export const basIp: DeviceModel = {
  id: 'bas-ip',
  defaultWaitTime: 100,
  cardBody(code): WireBody {
    return {
      contentType: 'application/json',
      body: JSON.stringify({ identifier_number: code, identifier_type: 'qr' }),
    };
  },
  readCardAnswer,
  heart: undefined,
  standIn: {
    codeOf(body) {
      const code = jsonObject(body)?.['identifier_number'];
      return typeof code === 'string' ? code : undefined;
    },
    answer: ({ granted, out }) =>
      JSON.stringify({
        handled: true,
        access: granted ? { granted, lock_number: out ? 2 : 1 } : { granted },
      }),
  },
};

function readCardAnswer(answer: WireAnswer): CardReading {
  const fields = jsonObject(answer.body);
  if (!fields) return unreadable('the answer to a card is not a JSON object');
  if (fields['handled'] === false) {
    return unreadable('handled is false: the panel must decide by itself');
  }
  const access = fields['access'];
  if (fields['handled'] !== true || typeof access !== 'object' || access === null) {
    return unreadable('handled or access is missing');
  }
  const { granted, lock_number: lock } = access as { granted?: unknown; lock_number?: unknown };
  if (typeof granted !== 'boolean') return unreadable('access.granted is not a boolean');
  const deviations: string[] = [];
  if (granted && typeof lock !== 'number') deviations.push('lock_number is not a number');
  return {
    granted,
    relay: granted ? `LOCK${typeof lock === 'number' ? lock : 1}` : undefined,
    openSeconds: undefined,
    name: '',
    note: granted ? 'Access granted' : 'Access denied',
    deviations,
  };
}
