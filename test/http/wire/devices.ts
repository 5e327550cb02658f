import { CARD, CODE, type Endpoint, named, type Row, send, utf8 } from './row.ts';

/** Values of fields that only describe the device: whatever they are, the ticket decides. */
const ANY_VALUE = [
  ...['null', 'true', '[]', '{}', '""', '0', '1', '-1', '1.5', '1e400', '99999999999999999999'],
  ...['"0"', '" 1"', '"0x1"', '"NaN"', '"ä"', '"😀"', '"\\ud800"', '"\\u0000"', '"\\u001b[31m"'],
  ...['"<b>"', '"__proto__"', '"../.."', `"${'x'.repeat(65)}"`, `"${'x'.repeat(4000)}"`, '["a"]'],
];

type Table = readonly (readonly [to: Endpoint, expect: string, bodies: readonly string[]])[];

/** Base64 of what is no code, or no Base64. The other kinds of damage to a `Card` are in bodies.ts. */
const CONTROLLER: Table = [
  [
    'hw-validate',
    'hw_granted',
    [
      CARD.replaceAll('=', ''),
      CARD.replaceAll('+', '-').replaceAll('/', '_'),
      CARD.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''),
    ].map((card) => `{"Card":"${card}"}`),
  ],
  [
    'hw-validate',
    'hw_granted',
    ['Serial', 'Reader', 'Index', 'MAC'].flatMap((name) =>
      ANY_VALUE.map((value) => utf8(`{"Card":"${CARD}","${name}":${value}}`)),
    ),
  ],
  [
    'hw-consume',
    'hw_unreadable',
    [
      ...[...' !"#$%&\'()*,.:;<>?@[]^`{|}~\t\n\x7f'].flatMap((letter) =>
        [0, 20, CARD.length].map((at) => CARD.slice(0, at) + letter + CARD.slice(at)),
      ),
      ...['=', '==', '====', 'QUJD=QUJD', '=QUJD', `${CARD}===`, `=${CARD}`, `${CARD}${CARD}`, 'Y'],
      // No UTF-8.
      ...['\xff', '\xc0\xaf', '\xed\xa0\x80', '\xf5\x80\x80\x80', `${CODE}\xff`, `\xc3${CODE}`].map(
        btoa,
      ),
    ].map((card) => JSON.stringify({ Card: card })),
  ],
];

const identifier = (value: string, more = ',"identifier_type":"qr"') =>
  utf8(`{"identifier_number":${value}${more}}`);

const PANEL: Table = [
  [
    'hw-validate',
    'bas_ip_granted',
    [
      identifier(`"${CODE}"`, ''),
      ...['"qr"', '"card"', '"input_code"', '""', 'null', '5', '[]', '"\\ud800"'].map((type) =>
        identifier(`"${CODE}"`, `,"identifier_type":${type}`),
      ),
      ...ANY_VALUE.map((value) => identifier(`"${CODE}"`, `,"device_serial":${value}`)),
    ],
  ],
  [
    'hw-consume',
    'bas_ip_denied',
    ['0', '5', '-1', '1.5', '12345678901234567890', '1e400'].map((value) => identifier(value)),
  ],
  [
    'hw-consume',
    'bas_ip_unreadable',
    ['null', 'true', '[]', '{}', '""', `["${CODE}"]`].map((value) => identifier(value)),
  ],
  [
    'hw-consume',
    'hw_unreadable',
    ['"x"', 'null', '""'].map((value) => identifier(value, `,"identifier_number":"${CODE}"`)),
  ],
];

const LINE_ENDS = ['\r', '\n', '\r\n'];
/** What a reader may send behind the code. */
const READER_ENDS = [
  ...['', '&&devicenumber=001', '&devicenumber=001', '&&devicenumber=', '&&devicenumber=é'],
  `&&devicenumber=${'9'.repeat(200)}`,
  ...LINE_ENDS.flatMap((end) => [end, `${end}&&devicenumber=001${end}`]),
];

const READER: Table = [
  [
    'hw-validate',
    'vguang_granted',
    [
      ...READER_ENDS.map((end) => utf8(`vgdecoderesult=${CODE}${end}`)),
      ...['', ...LINE_ENDS].map((end) => CODE + end),
    ],
  ],
  [
    'hw-consume',
    'vguang_denied',
    READER_ENDS.flatMap((end) =>
      ['x', ` ${CODE}`, 'a=b'].map((t) => utf8(`vgdecoderesult=${t}${end}`)),
    ),
  ],
  ['hw-consume', 'vguang_unreadable', READER_ENDS.map((end) => utf8(`vgdecoderesult=${end}`))],
  [
    'hw-consume',
    'hw_unreadable',
    [
      ...['vgdecoderesult', 'vgdecoderesult:', `VGDECODERESULT=${CODE}`, ` vgdecoderesult=${CODE}`],
      ...[`vgdecoderesult =${CODE}`, `x=1&vgdecoderesult=${CODE}`, `result=${CODE}`, `${CODE} `],
      ...[
        `devicenumber=001&&vgdecoderesult=${CODE}`,
        `${CODE}\nx`,
        `code ${CODE}`,
        'open the door',
      ],
      ...[
        `vgdecoderesult=${CODE}\xff`,
        `\xef\xbb\xbfvgdecoderesult=${CODE}`,
        `card=${CODE}&reader=1`,
      ],
    ],
  ],
];

/** Answered whatever the device says of itself. */
const HEARTBEAT: Table = [
  [
    'heartbeat',
    'alive',
    ['Key', 'Serial', 'ID', 'IP', 'Ver', 'Now'].flatMap((name) =>
      ANY_VALUE.map((value) => utf8(`{${name === 'Key' ? '' : '"Key":"K",'}"${name}":${value}}`)),
    ),
  ],
];

export function devices(): Row[] {
  return [...CONTROLLER, ...PANEL, ...READER, ...HEARTBEAT].flatMap(([to, expect, bodies]) =>
    bodies.map((body) => ({ says: `${to}: ${named(body)}`, bytes: send(to, body), expect })),
  );
}
