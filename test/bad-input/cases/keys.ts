import { type Case, named, requestOf } from './case.ts';
import { CODES, KEYS } from './world.ts';

const GOOD = `{"ticketCode":"${CODES.fresh}"}`;
const CARD = `{"Card":"${btoa(CODES.fresh)}","Serial":"S-1","Reader":0}`;
const JSON_TYPE = 'Content-Type: application/json';

/** Keys that are right but for one letter. */
function damagedKeys(key: string): Map<string, string> {
  const keys = new Map<string, string>();
  const add = (says: string, text: string) => {
    if (text !== key && !keys.has(text)) keys.set(text, says);
  };
  [...key].forEach((letter, at) => {
    const [before, after] = [key.slice(0, at), key.slice(at + 1)];
    add(`letter ${at} left out`, before + after);
    add(`letter ${at} twice`, before + letter + letter + after);
    add(`letter ${at} changed`, before + (letter === 'x' ? 'y' : 'x') + after);
    add(
      `letter ${at} in the other case`,
      before +
        (letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase()) +
        after,
    );
    add(`a space before letter ${at}`, `${before} ${letter}${after}`.trim());
  });
  keys.delete('');
  return keys;
}

export function keys(): Case[] {
  return [...headerKeys(), ...queryKeys()];
}

function headerKeys(): Case[] {
  const send = (headers: readonly string[], path = '/scan/consume') =>
    requestOf(path, [...headers, JSON_TYPE], GOOD);
  const refused = (says: string, ...headers: string[]): Case => ({
    says: `REST: ${says}`,
    bytes: send(headers),
    expect: 'forbidden',
  });
  const withKey = (key: string) => `x-api-key: ${key}`;
  return [
    ...[...damagedKeys(KEYS.api)].map(([key, says]) => refused(says, withKey(key))),
    ...Object.entries(KEYS)
      .filter(([name]) => !['api', 'apiScoped'].includes(name))
      .map(([name, key]) => refused(`the key ${name}`, withKey(key))),
    refused('no key'),
    ...[
      '',
      'x',
      'null',
      'undefined',
      'tscn_api_',
      'tscn_api',
      'tscn_',
      'Bearer ‹api›',
      '"‹api›"',
      "'‹api›'",
      '‹api›,‹api›',
      '‹api›;',
      '‹api›=',
      '‹api› ‹api›',
      '<‹api›>',
      '‹api›\\n',
      '‹api›%00',
      '\xe9',
      '‹api›\xa0',
      '‹api›\xff',
      '*',
      '__proto__',
      "' OR 1=1 --",
      `tscn_api_${'0'.repeat(38)}`,
      'x'.repeat(5000),
    ].map((key) => refused(`the key ${named(key)}`, withKey(key))),
    refused('the key twice', withKey('‹api›'), withKey('‹api›')),
    refused('the key and another', withKey('‹api›'), withKey('x')),
    refused('another and the key', withKey('x'), 'X-Api-Key: ‹api›'),
    refused('the key and an empty one', withKey('‹api›'), withKey('')),
    ...[
      'Authorization: Bearer ‹api›',
      'Authorization: ‹api›',
      'Authorization: Basic ‹api›',
      'Cookie: x-api-key=‹api›',
      'Cookie: key=‹api›',
      'api-key: ‹api›',
      'x-apikey: ‹api›',
      'x_api_key: ‹api›',
      'apikey: ‹api›',
      'x-api-key2: ‹api›',
      'x-auth-token: ‹api›',
      'key: ‹api›',
      'x-api: ‹api›',
    ].map((header) => refused(`sent as ${header.slice(0, 24)}`, header)),
    ...[
      '/scan/consume?key=‹api›',
      '/scan/consume?x-api-key=‹api›',
      '/scan/consume?key=‹hw›',
      '/scan/consume?api_key=‹api›',
    ].map(
      (path): Case => ({
        says: `REST: in the address: ${path.slice(13, 24)}`,
        bytes: send([], path),
        expect: 'forbidden',
      }),
    ),
    {
      says: 'REST: white space around the header value is no part of it',
      bytes: send(['x-api-key: \t ‹api› \t'], '/scan/validate'),
      expect: 'validated',
    },
    {
      says: 'REST: the name of the header in any case',
      bytes: send(['X-API-KEY:‹api›'], '/scan/validate'),
      expect: 'validated',
    },
    {
      says: 'REST: a scoped key, and a ticket of another event',
      bytes: requestOf(
        '/scan/consume',
        [withKey('‹apiScoped›'), JSON_TYPE],
        `{"ticketCode":"${CODES.otherEvent}"}`,
      ),
      expect: 'event_not_allowed',
    },
    {
      says: 'REST: no key, and a body that is unusable too',
      bytes: requestOf('/scan/consume', [], '{'),
      expect: 'forbidden',
    },
  ];
}

function queryKeys(): Case[] {
  const send = (query: string, headers: readonly string[] = [], action = 'consume') =>
    requestOf(`/scan/hw/${action}${query}`, [...headers, JSON_TYPE], CARD);
  const refused = (says: string, query: string, ...headers: string[]): Case => ({
    says: `device: ${says}`,
    bytes: send(query, headers),
    expect: 'hw_forbidden',
  });
  const granted = (says: string, query: string): Case => ({
    says: `device: ${says}`,
    bytes: send(query, [], 'validate'),
    expect: 'hw_granted',
  });
  const percent = (text: string) =>
    [...text].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('');
  return [
    ...[...damagedKeys(KEYS.hw)].map(([key, says]) =>
      refused(says, `?key=${key.replaceAll(' ', '+')}`),
    ),
    ...Object.entries(KEYS)
      .filter(([name]) => !['hw', 'hwScoped'].includes(name))
      .map(([name, key]) => refused(`the key ${name}`, `?key=${key}`)),
    ...[
      '',
      '?',
      '?key',
      '?key=',
      '?=‹hw›',
      '?‹hw›',
      '?Key=‹hw›',
      '?KEY=‹hw›',
      '?kEY=‹hw›',
      '?key[]=‹hw›',
      '?key.=‹hw›',
      '?keys=‹hw›',
      '?k=‹hw›',
      '?apikey=‹hw›',
      '?x-api-key=‹hw›',
      '?key=‹hw›&key=‹hw›',
      '?key=‹hw›&key=',
      '?key=&key=‹hw›',
      '?key=x&key=‹hw›',
      '?key=‹hw›&key=x',
      '?key=‹hw›&%6bey=‹hw›',
      '?key=‹hw›;key=x',
      '?a=1;key=‹hw›',
      '?key=‹hw›%00',
      '?key=%00‹hw›',
      '?key=‹hw›%20',
      '?key=+‹hw›',
      '?key=%0a‹hw›',
      '?key="‹hw›"',
      '?key=‹hw›/',
      '?key=‹hw›?',
      '??key=‹hw›',
      '?key==‹hw›',
      '?key=‹hw›=',
      '?key=‹hw›,‹hw›',
      '?key=%25%37%34scn',
      '?key=%',
      '?key=%zz',
      '?key=%ff%fe',
      `?key=${'x'.repeat(3000)}`,
      '?key=__proto__',
      "?key=' OR 1=1",
      '?%00key=‹hw›',
      '?key%00=‹hw›',
    ].map((query) => refused(`the query ${named(query)}`, query.replaceAll(' ', '%20'))),
    // No byte above ASCII may stand in an address (RFC 3986): that may be seen before the key.
    {
      says: 'device: a byte above ASCII',
      bytes: send('?key=\xff'),
      expect: ['hw_forbidden', 'http_refused'],
    },
    refused('the key in a header', '', 'x-api-key: ‹hw›'),
    refused('the key as a bearer', '', 'Authorization: Bearer ‹hw›'),
    granted('the key percent-encoded', `?key=${percent(KEYS.hw)}`),
    granted('the name percent-encoded', '?%6b%65%79=‹hw›'),
    granted('other parameters beside it', '?a=1&Key=S-1&key=‹hw›&b='),
    granted('a plus elsewhere', '?a=b+c&key=‹hw›&&'),
    {
      says: 'device: a scoped key, and a card of another event',
      bytes: requestOf(
        '/scan/hw/consume?key=‹hwScoped›',
        [],
        `{"Card":"${btoa(CODES.otherEvent)}"}`,
      ),
      expect: 'hw_event_not_allowed',
    },
    {
      says: 'device: no key, and a body that cannot be read',
      bytes: requestOf('/scan/hw/consume', [], '{'),
      expect: 'hw_forbidden',
    },
    {
      says: 'panel: no key',
      bytes: requestOf('/scan/hw/consume', [], `{"identifier_number":"${CODES.fresh}"}`),
      expect: 'bas_ip_forbidden',
    },
    {
      says: 'reader: no key',
      bytes: requestOf('/scan/hw/consume', [], `vgdecoderesult=${CODES.fresh}`),
      expect: 'vguang_forbidden',
    },
    {
      says: 'heartbeat: no key',
      bytes: requestOf('/scan/hw/heartbeat', [], '{"Key":"1"}'),
      expect: 'hw_forbidden',
    },
    {
      says: 'heartbeat: a key of the other type',
      bytes: requestOf('/scan/hw/heartbeat?key=‹api›', [], '{"Key":"1"}'),
      expect: 'hw_forbidden',
    },
  ];
}
