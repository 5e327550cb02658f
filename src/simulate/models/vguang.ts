import type { WireAnswer } from '../wire.ts';
import {
  type CardReading,
  type DeviceModel,
  jsonObject,
  unreadable,
  type WireBody,
} from './device-model.ts';

/** A Vguang / Vbar reader (M350, KQT300 family): plain text both ways, a lamp and a buzzer, no display. */
export const vguang: DeviceModel = {
  id: 'vguang',
  defaultWaitTime: 50,
  cardBody(code, { reader }): WireBody {
    const number = String(reader + 1).padStart(3, '0');
    const body = `vgdecoderesult=${code}&&devicenumber=${number}`;
    return { contentType: 'application/x-www-form-urlencoded', body };
  },
  readCardAnswer,
  heart: undefined,
  standIn: {
    codeOf: (body) =>
      jsonObject(body) !== undefined || body === ''
        ? undefined
        : (/^vgdecoderesult=(.*?)&&?devicenumber=\d+$/s.exec(body)?.[1] ?? body),
    answer: ({ granted }) => (granted ? 'code=0000' : 'code=0001'),
  },
};

function readCardAnswer(answer: WireAnswer): CardReading {
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
