import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { announce } from '../../src/serve/announce.ts';
import { ServedCertificate, selfSigned } from '../../src/serve/certificate.ts';
import type { RunningServer } from '../../src/serve/run-server.ts';
import { processIo } from '../../src/terminal/io.ts';
import { readBack } from '../../src/tickets/reading/read-back.ts';

const LOCAL = 'https://127.0.0.1:8443';
const NETWORK = 'https://192.0.2.2:8443';

async function linesOf(given: Partial<RunningServer>, terminal: boolean): Promise<string[]> {
  const tls = await selfSigned({ needed: [['localhost']], findMore: async () => [] }, undefined);
  const server: RunningServer = {
    url: LOCAL,
    urls: [LOCAL, NETWORK],
    publicUrl: NETWORK,
    certificate: new ServedCertificate(tls, pino({ level: 'silent' })),
    metricsUrl: undefined,
    testControls: false,
    testToken: undefined,
    close: async () => {},
    ...given,
  };
  const lines: string[] = [];
  const out = (line: string) => void lines.push(line);
  const env = { NO_COLOR: '1' };
  await announce({ ...processIo(), env, stdoutIsTty: terminal, out }, server, {}, 'memory:');
  return lines;
}

test('on a terminal a QR code leads to the dashboard at an address that a phone can open', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ticketscan-announce-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const lines = await linesOf({}, true);
  const [code = '', caption] =
    lines.find((line) => line.includes('█'))?.split('\nDashboard: ') ?? [];
  const file = join(folder, 'code.txt');
  writeFileSync(file, code);
  expect(await readBack(file, `${NETWORK}/`)).toBeUndefined();
  expect(caption).toBe(`${NETWORK}/`);
});

test('there is no QR code in a pipe, nor for an address that only this machine opens', async () => {
  for (const lines of [await linesOf({}, false), await linesOf({ publicUrl: LOCAL }, true)])
    expect(lines.join('\n')).not.toContain('█');
});

test('every address and the fingerprint are shown, and what a self-signed certificate means', async () => {
  const text = (await linesOf({}, false)).join('\n');
  expect(text).toContain(LOCAL);
  expect(text).toContain(`From other machines: ${NETWORK}`);
  expect(text).toMatch(/Certificate SHA-256: ([0-9A-F]{2}:){31}[0-9A-F]{2}\nIt is self-signed/);
});
