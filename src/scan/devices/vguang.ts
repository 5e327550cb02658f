import * as z from 'zod';
import { withoutLineEnd } from '../../kit/text.ts';
import type { DeviceModel } from './device-model.ts';

const RESULT = /^vgdecoderesult=(.*?)(?:&{1,2}devicenumber=([^&]*))?$/s;
/** The body is the code alone, without a name, so only a text in the form of a ticket code is accepted. */
const BARE_TICKET_CODE = /^[A-Za-z0-9]+\.tkt_[^.\s]+\.[^.\s]+$/;

const GRANTED = 'code=0000';
const DENIED = 'code=0001';

const Scan = z.string().meta({
  id: 'BarcodeReaderScan',
  description: '`vgdecoderesult=CODE&&devicenumber=NUMBER`, or the bare ticket code',
});

/** Vguang and Vbar readers (M350, KQT300): text in, text out. */
export const vguang: DeviceModel = {
  id: 'vguang',
  contentType: 'text/plain; charset=utf-8',
  schemas: {
    scan: Scan,
    granted: z.literal(GRANTED).meta({ id: 'BarcodeReaderGranted' }),
    denied: z.literal(DENIED).meta({ id: 'BarcodeReaderDenied' }),
  },
  read({ text = '' }) {
    const bare = withoutLineEnd(text);
    if (BARE_TICKET_CODE.test(bare)) return { ticketCode: bare, serial: null, reader: null };
    const found = RESULT.exec(text);
    if (!found) return undefined;
    const [, ticketCode, deviceNumber = ''] = found;
    return {
      ticketCode: ticketCode || undefined,
      // A line end after the number is the framing of the reader.
      serial: withoutLineEnd(deviceNumber) || null,
      sharesSerial: true,
      reader: null,
    };
  },
  answer: ({ granted }) => (granted ? GRANTED : DENIED),
};
