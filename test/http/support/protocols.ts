import type { ConnectionRefusal } from '../../../src/kit/refused-connections.ts';

const bytes = (...of: number[]) => String.fromCharCode(...of);

interface Opening {
  /** The first bytes of a client, a character for each. */
  readonly bytes: string;
  /** What it is called on both ports; else on each. */
  readonly reason:
    | ConnectionRefusal
    | { readonly plain: ConnectionRefusal; readonly tls: ConnectionRefusal };
}

const as = (reason: Opening['reason'], text: string): Opening => ({ bytes: text, reason });
const OTHER = 'other_protocol';
const METHOD = { plain: 'method_invalid', tls: 'tls_http' } as const;

/** The hello of a client that begins as in SSL 2, for versions up to this one. */
const oldHello = (...version: number[]) =>
  `${bytes(0x80, 18, 1, ...version, 0, 3, 0, 0, 0, 6, 1, 0, 0x80)}abcdef`;

/** What may come to a port that is not for it. */
export const OPENINGS: Readonly<Record<string, Opening>> = {
  'PROXY protocol, version 1': as('proxy_protocol', 'PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n'),
  'PROXY protocol, unknown source': as('proxy_protocol', 'PROXY UNKNOWN\r\n'),
  'PROXY protocol, version 2': as(
    'proxy_protocol',
    `\r\n\r\n\0\r\nQUIT\n${bytes(0x21, 0x11, 0, 12, 1, 2, 3, 4, 5, 6, 7, 8, 0, 1, 0, 2)}`,
  ),
  'HTTP/2': as('http2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  SSH: as(OTHER, 'SSH-2.0-OpenSSH_9.2\r\n'),
  SMTP: as(OTHER, 'EHLO gate.example\r\n'),
  FTP: as(OTHER, 'USER anonymous\r\n'),
  IMAP: as(OTHER, 'a001 LOGIN user password\r\n'),
  MQTT: as(OTHER, `${bytes(0x10, 16, 0, 4)}MQTT${bytes(4, 2, 0, 60, 0, 4)}gate`),
  AMQP: as(OTHER, `AMQP${bytes(0, 0, 9, 1)}`),
  Redis: as(OTHER, '*1\r\n$4\r\nPING\r\n'),
  PostgreSQL: as(OTHER, bytes(0, 0, 0, 8, 4, 0xd2, 0x16, 0x2f)),
  Modbus: as(OTHER, bytes(0, 1, 0, 0, 0, 6, 1, 3, 0, 0, 0, 1)),
  RDP: as(OTHER, bytes(3, 0, 0, 19, 14, 0xe0, 0, 0, 0, 0, 0, 1, 0, 8, 0, 3, 0, 0, 0)),
  SOCKS: as(OTHER, bytes(5, 3, 0, 1, 2)),
  Telnet: as(OTHER, bytes(0xff, 0xfb, 0x1f, 0xff, 0xfb, 0x20)),
  LDAP: as(OTHER, bytes(0x30, 12, 2, 1, 1, 0x60, 7, 2, 1, 3, 4, 0, 0x80, 0)),
  SIP: as(OTHER, 'OPTIONS sip:gate SIP/2.0\r\n\r\n'),
  'a policy file of Flash': as(OTHER, '<policy-file-request/>\0'),
  'a greeting': as(OTHER, 'hello\r\n\r\n'),
  'a code alone': as(OTHER, 'TS1.tkt_abcdef_0123456789\r\n'),
  'a method in small letters': as(METHOD, 'post /scan/consume HTTP/1.1\r\nHost: x\r\n\r\n'),
  'a method that is none': as(METHOD, 'SCAN /scan/consume HTTP/1.1\r\nHost: x\r\n\r\n'),
  'a mark before the method': as(METHOD, `\xef\xbb\xbfPOST /scan/consume HTTP/1.1\r\n\r\n`),
  'JSON alone': as(METHOD, '{"ticketCode":"TS1.tkt_abcdef"}'),
  'XML alone': as(METHOD, '<?xml version="1.0"?><scan/>'),
  'plain HTTP with bare line ends': as(
    { plain: 'line_end', tls: 'tls_http' },
    'GET / HTTP/1.1\nHost: x\n\n',
  ),
  'plain HTTP without a version': as(
    { plain: 'version_invalid', tls: 'tls_http' },
    'POST /scan/consume HTTP\r\n\r\n',
  ),
  'a hello of SSL 2': as({ plain: 'tls_on_plain', tls: 'tls_version' }, oldHello(0, 2)),
  'a hello of SSL 3 in the form of SSL 2': as(
    { plain: 'tls_on_plain', tls: 'tls_version' },
    oldHello(3, 0),
  ),
  'an alert of TLS': as({ plain: 'tls_on_plain', tls: 'tls_broken' }, bytes(21, 3, 1, 0, 2, 2, 40)),
  'broken TLS': as({ plain: 'tls_on_plain', tls: 'tls_broken' }, `${bytes(22, 3, 1, 0, 5)}hello`),
};

export const reasonOf = ({ reason }: Opening, port: 'plain' | 'tls'): ConnectionRefusal =>
  typeof reason === 'string' ? reason : reason[port];
