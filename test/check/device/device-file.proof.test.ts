import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  type CheckResult,
  checkDevice,
  type DeviceCheckOptions,
  type SessionRecord,
  type SubjectSetup,
} from '../../../src/check/index.ts';
import { PROGRAM } from '../../support/cli.ts';
import { words } from '../../support/words.ts';
import { temporaryFolder } from '../support/files.ts';
import { runCommand } from '../support/run-command.ts';
import { gatexText } from './support/gatex-file.ts';

const FILES = 'fixtures/device-files';
const CONTROL_ID = `${FILES}/control-id.yaml`;
const CASES = ['4.3/device-card-url', '5/device-key-in-query', '7.3/device-shut-on-denial'];

/** A reader of a few lines: it asks as the file says, and opens whatever comes. */
const OPENS_ALWAYS = `
  const lines = require('node:readline').createInterface({ input: process.stdin });
  console.log('{"tells":["door"]}');
  lines.on('line', async (line) => {
    const values = new URLSearchParams({ codeKey: JSON.parse(line).present, deviceId: 'A1' });
    await fetch(process.env.TICKETSCAN_DEVICE_URL + '/scan?' + values).catch(() => {});
    console.log('{"door":"open"}\\n{"done":true}');
  });`;

function check(...args: string[]) {
  return runCommand(['check', 'device', ...args], { PATH: process.env['PATH'] ?? '' });
}

test('a program is judged by a file that comes along, at the address that it gets', async () => {
  const program = join(temporaryFolder(), 'opens-always.cjs');
  writeFileSync(program, OPENS_ALWAYS);
  const { code, stdout, stderr } = await check(
    ...['--device-file', 'akuvox', '--run', `"${process.execPath}" "${program}"`],
    ...words`--wait-time 10 --reaction 50ms --anti-repeat 200ms --json --only ${CASES}`,
  );
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^Scene 1 of 5: granted\n/)]);
  const { cases, notes } = JSON.parse(stdout) as CheckResult;
  expect(cases.map(({ id, outcome }) => [id, outcome])).toEqual([
    ['4.3/device-card-url', 'passed'],
    ['5/device-key-in-query', 'passed'],
    ['7.3/device-shut-on-denial', 'failed'],
  ]);
  expect(notes).toEqual([expect.stringContaining('"akuvox" (Akuvox')]);
  const failed = cases.at(-1);
  expect(failed?.reproduce).toBe(
    'ticketscan check device --device-file akuvox --only 7.3/device-shut-on-denial',
  );
  expect(failed?.evidence?.request).toMatch(/^GET \/devices\/\$KEY\/scan\?codeKey=TS1\./);
  expect(failed?.evidence?.response).toContain('HTTP 403 (whole)\n\n{"granted":false');
  expect(stdout).not.toMatch(/tscn_hw_\w{10}/);
});

test('the simulator plays the device of a file for it', async () => {
  const simulated = `"${process.execPath}" "${PROGRAM}" simulate --commands --device-file control-id`;
  const { code, stdout } = await check(
    ...['--device-file', 'control-id', '--run', simulated, '--reaction', '50ms', '--json'],
    ...['--wait-time', '10'],
    ...['--only', '2.4/device-card-content', '4.6/device-opens-on-grant'],
  );
  const { cases } = JSON.parse(stdout) as CheckResult;
  expect([code, cases.map(({ outcome }) => outcome)]).toEqual([0, ['passed', 'passed']]);
});

/** Starts a session and ends it at once. @returns what the device was set up with, and the record */
async function started(options: Partial<DeviceCheckOptions>) {
  const stop = new AbortController();
  let setup: SubjectSetup | undefined;
  let record: SessionRecord | undefined;
  const subject = {
    start: async (given: SubjectSetup) => {
      setup = given;
      stop.abort();
    },
    present: async () => {},
    close: async () => {},
  };
  await checkDevice({
    kind: 'device',
    subject,
    signal: stop.signal,
    onRecord: (one) => {
      record = one;
    },
    ...options,
  });
  if (!setup || !record) throw new Error('the session did not start');
  return { setup, record };
}

test('a device is set up with the addresses that its file uses, and as it says', async () => {
  const gatex = join(temporaryFolder(), 'gatex.yaml');
  writeFileSync(gatex, gatexText());
  const labels = ({ addresses }: SubjectSetup) => addresses.map(([label]) => label);
  const plain = (await started({})).setup;
  const atCardUrl = (await started({ deviceFile: gatex })).setup;
  const atPaths = (await started({ deviceFile: FILES, model: 'control-id' })).setup;
  expect([plain, atCardUrl, atPaths].map(labels)).toEqual([
    ['Card URL', 'Heart URL'],
    ['Card URL'],
    ['Device URL'],
  ]);
  expect(atPaths.deviceUrl).toBe(`${atPaths.baseUrl}/devices/${atPaths.key}`);
  expect([plain.deviceUrl, atCardUrl.deviceUrl]).toEqual([undefined, undefined]);
  expect([plain.waitTimeMs, atPaths.waitTimeMs]).toEqual([3000, 5000]);
  const given = await started({ deviceFile: CONTROL_ID, waitTimeMs: 700 });
  expect(given.setup.waitTimeMs).toBe(700);
});

test('a session goes on only with the file that it began with', async () => {
  const { record } = await started({ deviceFile: CONTROL_ID });
  const resume = { ...record, model: 'control-id' };
  await started({ deviceFile: CONTROL_ID, resume });
  await expect(started({ resume })).rejects.toThrow('give that file again (--device-file)');
  await expect(started({ deviceFile: `${FILES}/akuvox.yaml`, resume })).rejects.toThrow(
    'is about control-id, not akuvox',
  );
});

test('a known model keeps its name beside device files', async () => {
  const { setup } = await started({ deviceFile: FILES, model: 'bas-ip' });
  expect(setup.deviceUrl).toBeUndefined();
});
