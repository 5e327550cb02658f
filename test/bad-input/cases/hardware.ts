import { type Case, named, utf8 } from './case.ts';
import { CODES } from './world.ts';

const CODE = CODES.fresh;
const CARD = btoa(CODE);
const NO_TEXTS = [
  'null',
  'true',
  'false',
  '0',
  '1',
  '-1',
  '1.5',
  '1e400',
  '[]',
  '{}',
  '""',
  `["${CARD}"]`,
  `{"Card":"${CARD}"}`,
  `{"0":"${CARD}"}`,
  '[[]]',
  '[null]',
];
const NO_BASE64 = ' !"#$%&\'()*,.:;<>?@[]^`{|}~\t\n\x7f'.split('');
/** QR modules add one; a second belongs to the content, and the signature decides. */
const LINE_ENDS = ['\r', '\n', '\r\n'];
const MORE_THAN_A_LINE_END = ['\n\n', '\r\r', '\n\r', '\r\n\r\n', ' \n', '\t\r\n', '\n '];
const NO_UTF8 = [
  '\xff',
  '\x80',
  '\xc0\xaf',
  '\xed\xa0\x80',
  '\xf5\x80\x80\x80',
  `${CODE}\xff`,
  `\xc3${CODE}`,
  '\xff\xfeT\0S\0',
  '\xf0\x9f\x98',
];

/** Values of fields that only describe the device: whatever they are, the ticket decides. */
const ODD_VALUES = [
  'null',
  'true',
  '[]',
  '{}',
  '""',
  '0',
  '1',
  '2',
  '-1',
  '1.5',
  '1e308',
  '1e400',
  '99999999999999999999',
  '"0"',
  '"1"',
  '" 1"',
  '"1 "',
  '"0x1"',
  '"1e3"',
  '"NaN"',
  '"Infinity"',
  '"-"',
  '"x"',
  '"ä"',
  '"😀"',
  '"\\ud800"',
  '"\\u0000"',
  '"\\u001b[31m"',
  '"<b>"',
  '"\' OR 1=1"',
  `"${'x'.repeat(64)}"`,
  `"${'x'.repeat(65)}"`,
  `"${'x'.repeat(4000)}"`,
  `"${'ä'.repeat(64)}"`,
  '["a"]',
  '{"a":1}',
  '"__proto__"',
  '"../.."',
];

export function hardwareBodies(): Case[] {
  return [...controllers(), ...panels(), ...readers(), ...unknownModels(), ...heartbeats()];
}

function controllers(): Case[] {
  const unreadable = (says: string, bytes: string): Case => ({
    says: `controller: ${says}`,
    to: 'hw-consume',
    bytes,
    expect: 'hw_unreadable',
  });
  const granted = (says: string, text: string): Case => ({
    says: `controller: ${says}`,
    to: 'hw-validate',
    bytes: utf8(text),
    expect: 'hw_granted',
  });
  return [
    ...NO_TEXTS.map((value) =>
      unreadable(`Card is ${named(value)}`, `{"Card":${value},"Serial":"S-1","Reader":0}`),
    ),
    ...NO_BASE64.flatMap((character) =>
      [0, 20, CARD.length].map((at) =>
        unreadable(
          `Card has ${named(character)} at ${at}`,
          JSON.stringify({ Card: CARD.slice(0, at) + character + CARD.slice(at) }),
        ),
      ),
    ),
    ...['=', '==', '====', 'QUJD=QUJD', '=QUJD', `${CARD}===`, `=${CARD}`, `${CARD}${CARD}`].map(
      (text) => unreadable(`Card is ${named(text.slice(-12))}`, JSON.stringify({ Card: text })),
    ),
    ...NO_UTF8.map((text) =>
      unreadable(
        `Card is no UTF-8: ${Buffer.from(text, 'latin1').toString('hex').slice(0, 16)}`,
        JSON.stringify({ Card: btoa(text) }),
      ),
    ),
    ...['"x"', 'null', `"${CARD}"`, '{}'].flatMap((value) => [
      unreadable(`Card twice, ${named(value)} first`, `{"Card":${value},"Card":"${CARD}"}`),
      unreadable(`Card twice, ${named(value)} last`, `{"Card":"${CARD}","Card":${value}}`),
      unreadable(`Card twice, ${named(value)} escaped`, `{"C\\u0061rd":${value},"Card":"${CARD}"}`),
    ]),
    ...['card', 'CARD', 'Card ', 'Cards', 'ticketCode', 'Code', 'C\u0430rd'].map((name) =>
      unreadable(`the field ${name}`, utf8(JSON.stringify({ [name]: CARD, Serial: 'S-1' }))),
    ),
    ...ODD_VALUES.flatMap((value) =>
      ['Serial', 'Reader', 'Index', 'MAC'].map((name) =>
        granted(`${name} is ${named(value)}`, `{"Card":"${CARD}","${name}":${value}}`),
      ),
    ),
    granted('no other field', `{"Card":"${CARD}"}`),
    ...LINE_ENDS.map((end) =>
      granted(`${named(end)} behind the code`, `{"Card":"${btoa(CODE + end)}"}`),
    ),
    granted('without padding', `{"Card":"${CARD.replaceAll('=', '')}"}`),
    granted('URL-safe', `{"Card":"${CARD.replaceAll('+', '-').replaceAll('/', '_')}"}`),
    ...[
      'Y',
      'YWI',
      'YWJj',
      btoa(` ${CODE}`),
      ...MORE_THAN_A_LINE_END.map((end) => btoa(CODE + end)),
      btoa(`\n${CODE}`),
      btoa(`${CODE}\0`),
      btoa(CARD),
      btoa('x'.repeat(300)),
    ]
      .slice(1)
      .map(
        (card): Case => ({
          says: `controller: a card that says ${named(atob(card))}`,
          to: 'hw-consume',
          bytes: JSON.stringify({ Card: card }),
          expect: 'hw_invalid_ticket',
        }),
      ),
  ];
}

function panels(): Case[] {
  const body = (value: string, more = ',"identifier_type":"qr"') =>
    `{"identifier_number":${value}${more}}`;
  return [
    ...['null', 'true', 'false', '[]', '{}', '""', `["${CODE}"]`, `{"a":"${CODE}"}`].map(
      (value): Case => ({
        says: `panel: identifier_number is ${named(value)}`,
        to: 'hw-consume',
        bytes: body(value),
        expect: 'bas_ip_unreadable',
      }),
    ),
    ...[
      '0',
      '5',
      '-1',
      '1.5',
      '12345678901234567890',
      '1e400',
      '"x"',
      '" "',
      '"0"',
      `" ${CODE}"`,
      `"${CODE}\\u0000"`,
      ...MORE_THAN_A_LINE_END.map((end) => JSON.stringify(CODE + end)),
    ].map(
      (value): Case => ({
        says: `panel: identifier_number is ${named(value)}`,
        to: 'hw-consume',
        bytes: body(value),
        expect: 'bas_ip_denied',
      }),
    ),
    ...[
      '"qr"',
      '"card"',
      '"input_code"',
      '"face_id"',
      '""',
      'null',
      '5',
      '[]',
      '{}',
      '"\\ud800"',
    ].map(
      (type): Case => ({
        says: `panel: identifier_type is ${named(type)}`,
        to: 'hw-validate',
        bytes: body(`"${CODE}"`, `,"identifier_type":${type}`),
        expect: 'bas_ip_granted',
      }),
    ),
    ...LINE_ENDS.map(
      (end): Case => ({
        says: `panel: ${named(end)} behind the code`,
        to: 'hw-validate',
        bytes: body(JSON.stringify(CODE + end)),
        expect: 'bas_ip_granted',
      }),
    ),
    ...ODD_VALUES.map(
      (value): Case => ({
        says: `panel: device_serial is ${named(value)}`,
        to: 'hw-validate',
        bytes: utf8(body(`"${CODE}"`, `,"device_serial":${value}`)),
        expect: 'bas_ip_granted',
      }),
    ),
    ...['"x"', 'null', '""'].map(
      (value): Case => ({
        says: `panel: identifier_number twice, ${named(value)} first`,
        to: 'hw-consume',
        bytes: `{"identifier_number":${value},"identifier_number":"${CODE}"}`,
        expect: 'hw_unreadable',
      }),
    ),
  ];
}

function readers(): Case[] {
  const denied = [
    'x',
    ' ',
    `${CODE}x`,
    ` ${CODE}`,
    `${CODE} `,
    CARD,
    '"',
    '%',
    '{}',
    '\x00',
    'é',
    CODE.toUpperCase(),
    ...MORE_THAN_A_LINE_END.map((end) => CODE + end),
    'x'.repeat(300),
    'a=b',
  ];
  const ends = [
    '',
    '&&devicenumber=001',
    '&devicenumber=001',
    '&&devicenumber=',
    '&&devicenumber=é',
    `&&devicenumber=${'9'.repeat(200)}`,
    ...LINE_ENDS,
    ...LINE_ENDS.map((end) => `&&devicenumber=001${end}`),
    ...LINE_ENDS.map((end) => `${end}&&devicenumber=001${end}`),
  ];
  return [
    ...denied.flatMap((text) =>
      ends.map(
        (end): Case => ({
          says: `reader: ${named(text)} and ${named(end)}`,
          to: 'hw-consume',
          bytes: utf8(`vgdecoderesult=${text}${end}`),
          expect: 'vguang_denied',
        }),
      ),
    ),
    ...ends.map(
      (end): Case => ({
        says: `reader: nothing, and ${named(end)}`,
        to: 'hw-consume',
        bytes: utf8(`vgdecoderesult=${end}`),
        expect: 'vguang_unreadable',
      }),
    ),
    ...ends.map(
      (end): Case => ({
        says: `reader: a good code and ${named(end)}`,
        to: 'hw-validate',
        bytes: utf8(`vgdecoderesult=${CODE}${end}`),
        expect: 'vguang_granted',
      }),
    ),
    ...[
      'vgdecoderesult',
      'vgdecoderesult:',
      `VGDECODERESULT=${CODE}`,
      ` vgdecoderesult=${CODE}`,
      `vgdecoderesult =${CODE}`,
      `x=1&vgdecoderesult=${CODE}`,
      `result=${CODE}`,
      `devicenumber=001&&vgdecoderesult=${CODE}`,
      `"vgdecoderesult=${CODE}"`,
      `${CODE} `,
      `${CODE}\nx`,
      `code ${CODE}`,
    ].map(
      (text): Case => ({
        says: `reader: ${named(text)}`,
        to: 'hw-consume',
        bytes: text,
        expect: 'hw_unreadable',
      }),
    ),
    {
      says: 'reader: no UTF-8',
      to: 'hw-consume',
      bytes: `vgdecoderesult=${CODE}\xff`,
      expect: 'hw_unreadable',
    },
    {
      says: 'reader: a byte-order mark',
      to: 'hw-consume',
      bytes: `\xef\xbb\xbfvgdecoderesult=${CODE}`,
      expect: 'hw_unreadable',
    },
  ];
}

function unknownModels(): Case[] {
  const bodies = [
    '',
    ' ',
    '\n',
    '\0',
    'null',
    'true',
    '5',
    '""',
    '[]',
    '{}',
    '[{}]',
    `["${CARD}"]`,
    `[{"Card":"${CARD}"}]`,
    `"${CARD}"`,
    CARD,
    'open the door',
    'hello',
    '<Card/>',
    `<Card>${CARD}</Card>`,
    `Card=${CARD}`,
    `card=${CODE}&reader=1`,
    `{"Card":"${CARD}"`,
    `{"Card":"${CARD}"}}`,
    `{'Card':'${CARD}'}`,
    `{Card:"${CARD}"}`,
    `{"Card":"${CARD}",}`,
    `{"Card":${CARD}}`,
    `{"data":{"Card":"${CARD}"}}`,
    `{"ticketCode":"${CODE}"}`,
    `{"qr":"${CODE}"}`,
    `{"__proto__":{"Card":"${CARD}"}}`,
    `{"constructor":{"Card":"${CARD}"}}`,
    `{"Card":"${CARD}","a":${'['.repeat(8)}${']'.repeat(8)}}`,
    `{"Card":"${CARD}","a":${'['.repeat(500)}${']'.repeat(500)}}`,
    '\x16\x03\x01',
    '\xff\xd8\xff',
    '\x02\x30\x31\x03',
    '%PDF-1.7',
    'GIF89a',
    'PK\x03\x04',
    '\x1f\x8b\x08',
    `\xef\xbb\xbf{"Card":"${CARD}"}`,
    `{"Card":"${CARD}","a":"\xff"}`,
    `{"Card":"${CARD}","a":"\xed\xa0\x80"}`,
    Buffer.from(`{"Card":"${CARD}"}`, 'utf16le').toString('latin1'),
    'x'.repeat(8000),
    '{'.repeat(4000),
    '['.repeat(8000),
    '"'.repeat(4001),
  ];
  return bodies.flatMap((body) =>
    (['hw-consume', 'hw-validate'] as const).map(
      (to): Case => ({
        says: `no model: ${named(body)}`,
        to,
        bytes: body,
        expect: 'hw_unreadable',
      }),
    ),
  );
}

/** The server is reachable, whatever the device says of itself. */
function heartbeats(): Case[] {
  const alive = (says: string, text: string): Case => ({
    says: `heartbeat: ${says}`,
    to: 'heartbeat',
    bytes: utf8(text),
    expect: 'alive',
  });
  const broken = [
    '',
    ' ',
    'null',
    '[]',
    '5',
    '"x"',
    '{',
    '}',
    'hello',
    '{"Key":}',
    '\0',
    `{"Key":${'['.repeat(20)}${']'.repeat(20)}}`,
  ];
  return [
    ...ODD_VALUES.flatMap((value) =>
      ['Key', 'Serial', 'ID', 'IP', 'Ver', 'Now'].map((name) =>
        alive(
          `${name} is ${named(value)}`,
          name === 'Key' ? `{"Key":${value}}` : `{"Key":"K","${name}":${value}}`,
        ),
      ),
    ),
    ...broken.map((body) => alive(`the body is ${named(body)}`, body)),
    { says: 'heartbeat: no UTF-8', to: 'heartbeat', bytes: '{"Key":"\xff"}', expect: 'alive' },
    {
      says: 'heartbeat: 9000 bytes',
      to: 'heartbeat',
      bytes: `{"Key":"${'x'.repeat(9000)}"}`,
      expect: 'hw_unreadable',
    },
  ];
}
