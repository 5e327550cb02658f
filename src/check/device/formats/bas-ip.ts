import { isRecord, parsedJson } from '../../facts/json.ts';
import { type Format, jsonAnswer, STATUS_OF } from './format.ts';
import { atScanUrls } from './scan-urls.ts';

/** A BAS-IP intercom panel, which asks a remote access server. */
export const basIp: Format = atScanUrls({
  id: 'bas-ip',
  features: {},
  read(body) {
    const fields = parsedJson(body);
    if (!isRecord(fields) || !('identifier_number' in fields)) return undefined;
    const number = fields['identifier_number'];
    const code = typeof number === 'string' ? number : undefined;
    return { code, raw: code };
  },
  grant: ({ relay }) =>
    jsonAnswer(200, { handled: true, access: { granted: true, lock_number: relay + 1 } }),
  denial: (kind) => jsonAnswer(STATUS_OF[kind], { handled: true, access: { granted: false } }),
  textOf: () => '',
});
