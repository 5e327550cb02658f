import { once } from 'node:events';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { describe, expect, onTestFinished, test } from 'vitest';
import { serve } from './support/served.ts';

const PIECE = 1400;

interface Sent {
  readonly answer: string;
  /** What a write or read failed with. */
  readonly error: string | undefined;
}

/** Sends a long head as a client does that reads nothing before all is sent. */
async function sendHead(
  port: number,
  length: number,
  isTls: boolean,
  isWhole: boolean,
): Promise<Sent> {
  const place = { port, host: '127.0.0.1' };
  const socket = isTls ? connectTls({ ...place, rejectUnauthorized: false }) : connect(place);
  onTestFinished(() => void socket.destroy());
  let error: string | undefined;
  socket.on('error', (one: NodeJS.ErrnoException) => {
    error = one.code;
  });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await once(socket, isTls ? 'secureConnect' : 'connect');
  socket.setNoDelay(true).pause();
  const head = `POST /scan/consume HTTP/1.1\r\nHost: x\r\nX-A: ${'a'.repeat(length)}\r\n\r\n`;
  const size = isWhole ? head.length : PIECE;
  for (let at = 0; at < head.length && error === undefined; at += size) {
    await new Promise((done) => socket.write(head.slice(at, at + size), done));
    // The server reads in this process, too.
    await new Promise(setImmediate);
  }
  let answer = '';
  socket.on('data', (bytes) => {
    answer += String(bytes);
  });
  socket.resume();
  await closed;
  return { answer, error };
}

const BODY = '{"message":"Request Header Fields Too Large"}';

describe.each<[string, boolean]>([
  ['the gates over HTTP', false],
  ['the gates over HTTPS', true],
  ['the metrics', false],
])('%s', (place, isTls) => {
  test.each([
    [20_000, true],
    [70_000, true],
    [70_000, false],
    [300_000, false],
  ])(
    'answer a head of %i bytes, whole: %s, and let its client send all of it',
    async (length, isWhole) => {
      const served = await serve(isTls ? { tlsSelfSigned: true } : {});
      const port = place.includes('metrics') ? served.metricsPort : served.port;
      const { answer, error } = await sendHead(port, length, isTls, isWhole);
      expect(error).toBeUndefined();
      expect(answer).toMatch(/^HTTP\/1\.1 431 Request Header Fields Too Large\r\n/);
      if (!place.includes('metrics')) expect(answer.endsWith(BODY)).toBe(true);
    },
  );
});
