import { jsonObject, type ModelId } from '../models/device-model.ts';
import type { WireAnswer } from '../wire.ts';
import type { Verdict } from './stand-in-tickets.ts';

/** The code that a request body carries, and in which model's format it came. */
export interface ReadCard {
  readonly model: ModelId;
  readonly code: string;
}

/** Undefined when no model's format fits. */
export function readBody(body: string): ReadCard | undefined {
  const fields = jsonObject(body);
  if (typeof fields?.['Card'] === 'string') {
    return { model: 'access-controller', code: decoded(fields['Card']) };
  }
  if (typeof fields?.['identifier_number'] === 'string') {
    return { model: 'bas-ip', code: fields['identifier_number'] };
  }
  if (fields !== undefined || body === '') return undefined;
  const code = /^vgdecoderesult=(.*?)&&?devicenumber=\d+$/s.exec(body)?.[1] ?? body;
  return { model: 'vguang', code };
}

function decoded(card: string): string {
  return /^[\w+/=-]*$/.test(card) ? Buffer.from(card, 'base64').toString('utf8') : '';
}

/** The answer in the format of the model; the documented one where no format fitted. */
export function answerFor(model: ModelId | undefined, verdict: Verdict): WireAnswer {
  const { status, granted, name, note } = verdict;
  switch (model) {
    case 'bas-ip': {
      const access = granted ? { granted, lock_number: 1 } : { granted };
      return { status, body: JSON.stringify({ handled: true, access }) };
    }
    case 'vguang':
      return { status, body: granted ? 'code=0000' : 'code=0001' };
    default:
      return {
        status,
        body: JSON.stringify(
          granted
            ? { AcsRes: '1', ActIndex: '0', Time: '5', Name: name, Note: note }
            : { AcsRes: '0', ActIndex: '0', Time: '0', Note: note },
        ),
      };
  }
}
