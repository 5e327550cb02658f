import { CODES, KEYS } from '../../support/fixed-world.ts';
import { API_KEY, CARD, CODE, GOOD, JSON_TYPE, json, named, post, type Row } from './row.ts';

const { api, hw } = KEYS;

/** A key with something wrong in it: the form of a key, the kind, or that somebody has it. */
const wrongKeys = (key: string, other: string): string[] => [
  ...Object.values(KEYS).filter((one) => one.includes('Disabled') || one.includes('Deleted')),
  ...[KEYS.apiUnknown, KEYS.hwUnknown, other, key.toLowerCase(), key.toUpperCase()],
  ...[0, 5, 9, 20, key.length - 1].flatMap((at) => {
    const [before, letter = '', after] = [key.slice(0, at), key[at], key.slice(at + 1)];
    return [before + after, before + letter + letter + after, `${before}x${after}`];
  }),
  ...['x', 'null', 'undefined', '*', '__proto__', "'OR'1'='1", 'tscn_api_', 'tscn_hw_', 'tscn_'],
  ...[`tscn_api_${'0'.repeat(38)}`, 'x'.repeat(3000), `"${key}"`, `'${key}'`, `<${key}>`],
  ...[`${key},${key}`, `${key};`, `${key}=`, `${key}/`, `${key}%00`, `Bearer%20${key}`],
];

function headerKeys(): Row[] {
  const refused = (says: string, ...headers: string[]): Row => ({
    says: `REST: ${says}`,
    bytes: post('/scan/consume', [...headers, JSON_TYPE], GOOD),
    expect: 'forbidden',
  });
  const withKey = (key: string) => `x-api-key: ${key}`;
  const validated = (says: string, header: string): Row => ({
    says: `REST: ${says}`,
    bytes: post('/scan/validate', [header, JSON_TYPE], GOOD),
    expect: 'validated',
  });
  return [
    ...wrongKeys(api, hw).map((key) => refused(named(key), withKey(key))),
    ...[
      '',
      `Bearer ${api}`,
      `${api} ${api}`,
      `${api}\xa0`,
      `${api}\xff`,
      '\xe9',
      'x'.repeat(5000),
    ].map((key) => refused(`the header ${named(key)}`, withKey(key))),
    refused('no key'),
    refused('the key twice', API_KEY, API_KEY),
    refused('the key and another', API_KEY, withKey('x')),
    refused('another and the key', withKey('x'), `X-Api-Key: ${api}`),
    refused('the key and an empty one', API_KEY, withKey('')),
    ...['Authorization: Bearer ', 'Authorization: ', 'Authorization: Basic ', 'Cookie: x-api-key=']
      .concat(['api-key: ', 'x-apikey: ', 'x_api_key: ', 'x-api-key2: ', 'key: ', 'x-api: '])
      .map((name) => refused(`sent as ${name}`, name + api)),
    ...['key', 'x-api-key', 'api_key'].map((name) => ({
      ...refused(`in the query as ${name}`),
      bytes: post(`/scan/consume?${name}=${api}`, [JSON_TYPE], GOOD),
    })),
    { ...refused('and an unusable body'), bytes: post('/scan/consume', [], '{') },
    validated('white space around the value', `x-api-key: \t ${api} \t`),
    validated('a blank behind the value', `${API_KEY} `),
    validated('the name in capitals', `X-API-KEY:${api}`),
    {
      says: 'REST: a scoped key and a ticket of another event',
      bytes: post(
        '/scan/consume',
        [withKey(KEYS.apiScoped), JSON_TYPE],
        json({ ticketCode: CODES.otherEvent }),
      ),
      expect: 'event_not_allowed',
    },
    {
      says: 'REST: a scoped key and a ticket of an event that nobody has',
      bytes: post(
        '/scan/consume',
        [withKey(KEYS.apiScoped), JSON_TYPE],
        json({ ticketCode: CODES.unknownEvent }),
      ),
      expect: 'event_not_allowed',
    },
  ];
}

function queryKeys(): Row[] {
  const body = json({ Card: CARD, Serial: 'S-1', Reader: 0 });
  const refused = (query: string, ...headers: string[]): Row => ({
    says: `device: ${named(query)}${headers}`,
    bytes: post(`/scan/hw/consume${query}`, [...headers, JSON_TYPE], body),
    expect: 'hw_forbidden',
  });
  const granted = (query: string): Row => ({
    says: `device: ${named(query)}`,
    bytes: post(`/scan/hw/validate${query}`, [JSON_TYPE], body),
    expect: 'hw_granted',
  });
  const to = (says: string, target: string, text: string, expect: string): Row => ({
    says,
    bytes: post(target, [], text),
    expect,
  });
  const percent = [...hw].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('');
  const refusedQueries = [
    ...wrongKeys(hw, api).map((key) => `?key=${key}`),
    ...['', '?', '?key', '?key=', `?=${hw}`, `?${hw}`, `?Key=${hw}`, `?KEY=${hw}`, `?key[]=${hw}`],
    ...[`?key.=${hw}`, `?keys=${hw}`, `?k=${hw}`, `?x-api-key=${hw}`, `?key=${hw}&key=${hw}`],
    ...[`?key=${hw}&key=`, `?key=&key=${hw}`, `?key=x&key=${hw}`, `?key=${hw}&%6bey=${hw}`],
    ...[`?key=${hw};key=x`, `?a=1;key=${hw}`, `?key=%00${hw}`, `?key=${hw}%20`, `?key=+${hw}`],
    ...[`?key=%0a${hw}`, `?key=${hw}?`, `??key=${hw}`, `?key==${hw}`, '?key=%25%37%34scn'],
    ...['?key=%', '?key=%zz', '?key=%ff%fe', `?%00key=${hw}`, `?key%00=${hw}`],
  ];
  return [
    ...refusedQueries.map((query) => refused(query)),
    refused('', `x-api-key: ${hw}`),
    refused('', `Authorization: Bearer ${hw}`),
    // No byte above ASCII may stand in an address (RFC 3986): that may be seen before the key.
    { ...refused('?key=\xff'), expect: ['hw_forbidden', 'http_refused'] },
    ...[`?key=${percent}`, `?%6b%65%79=${hw}`, `?a=1&Key=S-1&key=${hw}&b=`].map(granted),
    granted(`?a=b+c&key=${hw}&&`),
    ...[CODES.otherEvent, CODES.unknownEvent].map((code) =>
      to(
        'device: a scoped key and a card of an event outside it',
        `/scan/hw/consume?key=${KEYS.hwScoped}`,
        `{"Card":"${btoa(code)}"}`,
        'hw_event_not_allowed',
      ),
    ),
    to('device: no key, unreadable', '/scan/hw/consume', '{', 'hw_forbidden'),
    to('panel: no key', '/scan/hw/consume', json({ identifier_number: CODE }), 'bas_ip_forbidden'),
    to('reader: no key', '/scan/hw/consume', `vgdecoderesult=${CODE}`, 'vguang_forbidden'),
    to('heartbeat: no key', '/scan/hw/heartbeat', '{"Key":"1"}', 'hw_forbidden'),
    to('heartbeat: REST key', `/scan/hw/heartbeat?key=${api}`, '{"Key":"1"}', 'hw_forbidden'),
  ];
}

export const keys = (): Row[] => [...headerKeys(), ...queryKeys()];
