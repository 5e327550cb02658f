import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { expect, onTestFinished, test } from 'vitest';
import { PATIENTLY } from '../../support/patience.ts';
import { startJudge } from '../support/judge.ts';

const raw = (bytes: string) => (port: number) => {
  const socket = connect(port, '127.0.0.1', () => socket.write(bytes, 'latin1'));
  socket.on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
};

test.each<[string, (port: number) => void, boolean]>([
  ['line_end', raw('POST /scan/hw/consume HTTP/1.1\nHost: x\n\n'), false],
  [
    'length_and_chunks',
    raw(
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ),
    false,
  ],
  [
    'tls_on_plain',
    (port) => void connectTls({ port, host: '127.0.0.1' }).on('error', () => undefined),
    false,
  ],
  ['tls_http', raw('POST / HTTP/1.1\r\nHost: x\r\n\r\n'), true],
  [
    'tls_cipher',
    (port) =>
      void connectTls({ port, host: '127.0.0.1', maxVersion: 'TLSv1.2', ciphers: 'AES256-SHA' }).on(
        'error',
        () => undefined,
      ),
    true,
  ],
  [
    'body_too_long',
    raw(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 70000\r\n\r\n${'x'.repeat(70_000)}`),
    false,
  ],
])(
  'the judge tells %s, which would else seem to be a device that sends nothing',
  async (reason, send, isTls) => {
    const { port, refused } = await startJudge(isTls);
    send(port);
    await expect.poll(() => refused, PATIENTLY).toContain(reason);
  },
);
