import { jsonRecord } from '../../kit/json-text.ts';
import { didYouMean } from '../../kit/nearest.ts';
import { SimulateError } from '../errors.ts';
import type { WireAnswer } from '../wire.ts';
import { accessController } from './access-controller.ts';
import { type CardReading, type DeviceModel, unreadable, type WireBody } from './device-model.ts';

/** A BAS-IP intercom panel in "remote access server" mode. It has no heartbeat and shows texts of its own. */
const basIp: DeviceModel = {
  id: 'bas-ip',
  defaultWaitTime: 100,
  cardBody(code): WireBody {
    return {
      contentType: 'application/json',
      body: JSON.stringify({ identifier_number: code, identifier_type: 'qr' }),
    };
  },
  readCardAnswer: readBasIp,
  heart: undefined,
  standIn: {
    codeOf(body) {
      const code = jsonRecord(body)?.['identifier_number'];
      return typeof code === 'string' ? code : undefined;
    },
    answer: ({ granted, out }) =>
      JSON.stringify({
        handled: true,
        access: granted ? { granted, lock_number: out ? 2 : 1 } : { granted },
      }),
  },
};

function readBasIp(answer: WireAnswer): CardReading {
  const fields = jsonRecord(answer.body);
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

/** A Vguang / Vbar reader (M350, KQT300 family): plain text both ways, a lamp and a buzzer, no display. */
const vguang: DeviceModel = {
  id: 'vguang',
  defaultWaitTime: 50,
  cardBody(code, { reader }): WireBody {
    const number = String(reader + 1).padStart(3, '0');
    const body = `vgdecoderesult=${code}&&devicenumber=${number}`;
    return { contentType: 'application/x-www-form-urlencoded', body };
  },
  readCardAnswer: readVguang,
  heart: undefined,
  standIn: {
    codeOf: (body) =>
      jsonRecord(body) !== undefined || body === ''
        ? undefined
        : (/^vgdecoderesult=(.*?)&&?devicenumber=\d+$/s.exec(body)?.[1] ?? body),
    answer: ({ granted }) => (granted ? 'code=0000' : 'code=0001'),
  },
};

function readVguang(answer: WireAnswer): CardReading {
  const code = /^code=(\d{4})/.exec(answer.body)?.[1];
  if (code === undefined) return unreadable('the answer to a card does not begin with code=');
  const granted = code === '0000';
  return {
    granted,
    relay: granted ? 'IN' : undefined,
    openSeconds: undefined,
    name: '',
    note: `code=${code}`,
    deviations: granted || code === '0001' ? [] : [`code=${code} is neither 0000 nor 0001`],
  };
}

/** The first whose format a body has answers it. */
export const MODELS: readonly DeviceModel[] = [accessController, basIp, vguang];
export const MODEL_IDS = MODELS.map(({ id }) => id);

/** @throws SimulateError when there is no model of that name */
export function modelNamed(id: string): DeviceModel {
  const model = MODELS.find((one) => one.id === id);
  if (model) return model;
  throw new SimulateError(
    `Unknown device model "${id}".${didYouMean(id, MODEL_IDS)} Known models: ${MODEL_IDS.join(', ')}.`,
  );
}
