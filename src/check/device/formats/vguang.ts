import { parsedJson } from '../../facts/json.ts';
import type { Answer } from '../wire/answer.ts';
import { type Format, STATUS_OF } from './format.ts';
import { atScanUrls } from './scan-urls.ts';

const FIELD = 'vgdecoderesult=';
const NEXT_FIELD = '&devicenumber=';

/** A Vguang or Vbar reader: plain text both ways. */
export const vguang: Format = atScanUrls({
  id: 'vguang',
  features: {},
  read(body) {
    if (body === '' || parsedJson(body) !== undefined) return undefined;
    if (!body.startsWith(FIELD)) return { code: body, raw: body };
    const end = body.indexOf(NEXT_FIELD);
    const text = body.slice(FIELD.length, end < 0 ? undefined : end);
    // readers were seen with one and with two
    const code = text.endsWith('&') ? text.slice(0, -1) : text;
    return { code, raw: code };
  },
  grant: () => text(200, 'code=0000'),
  denial: (kind) => text(STATUS_OF[kind], 'code=0001'),
  textOf: () => '',
});

function text(status: number, body: string): Answer {
  return { status, headers: { 'content-type': 'text/plain' }, body };
}
