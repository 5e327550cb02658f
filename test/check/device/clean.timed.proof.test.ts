import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { type CheckResult, checkDevice } from '../../../src/check/index.ts';
import { loadDeviceFiles } from '../../../src/device-files/load.ts';
import type { DeviceFile } from '../../../src/device-files/schema.ts';
import { modelFromFile } from '../../../src/simulate/models/file-model.ts';
import { BUILT_IN_NAMES } from '../../support/device-files.ts';
import { temporaryFolder } from '../support/files.ts';
import { clientSubject } from './support/client-subject.ts';
import { gatexText } from './support/gatex-file.ts';
import { simulatedSubject } from './support/simulated-subject.ts';

/** Sessions mostly wait: all of them at once. */
vi.setConfig({ maxConcurrency: 8 });

/** Short, so that a session takes seconds; long enough for a machine that does other things as well. */
const SHORT = {
  waitTimeMs: 1000,
  heartbeatMs: 400,
  reactionMs: 60,
  antiRepeatMs: 200,
  openSeconds: [1, 2],
  bootMs: 500,
  // advice about the setting alone, which is short here
  skip: ['7.3/device-wait-time'],
} as const;
const DEVICE = { waitTime: 10, heartbeatMs: 400, antiRepeatMs: 200 } as const;

function findings({ cases }: CheckResult) {
  return cases
    .filter(({ outcome }) => outcome === 'failed' || outcome === 'warned')
    .map(({ id, expected, observed }) => `${id}: ${expected}, but ${observed}`);
}

test.concurrent.each(['access-controller', 'bas-ip', 'vguang'])(
  'the simulated %s meets every requirement',
  async (model) => {
    const subject = simulatedSubject({ model, ...DEVICE });
    const result = await checkDevice({ kind: 'device', subject, ...SHORT });
    expect(findings(result)).toEqual([]);
    expect([result.verdict, result.subject]).toEqual(['conforms', 'device']);
    expect(result.notes[0]).toContain(`speaks as ${model} does`);
    // what the model has no field for is not judged, and all the rest is
    const reasons = result.cases.flatMap(({ notAsked }) => notAsked);
    expect(reasons.filter(({ optional }) => optional !== true)).toEqual([]);
    expect(result.totals.passed).toBeGreaterThan(model === 'access-controller' ? 50 : 30);
  },
);

test.concurrent.each([...BUILT_IN_NAMES, 'gatex'])(
  'a simulated device of %s meets every requirement of its file',
  async (name) => {
    const deviceFile = join(folderOfFiles(), `${name}.yaml`);
    const [file] = loadDeviceFiles(deviceFile);
    const subject = simulatedSubject({ model: modelFromFile(file as DeviceFile), ...DEVICE });
    const result = await checkDevice({ kind: 'device', subject, deviceFile, ...SHORT });
    expect(findings(result)).toEqual([]);
    expect(result.verdict).toBe('conforms');
    expect(result.notes[0]).toContain(`judged by the device file "${file?.name}"`);
    const reasons = result.cases.flatMap(({ notAsked }) => notAsked);
    expect(reasons.filter(({ optional }) => optional !== true)).toEqual([]);
    expect(result.totals.passed).toBeGreaterThan(40);
  },
);

/** The built-in files, and the one of the page. */
function folderOfFiles(): string {
  const folder = temporaryFolder();
  cpSync('fixtures/device-files', folder, { recursive: true });
  writeFileSync(join(folder, 'gatex.yaml'), gatexText());
  return folder;
}

test.concurrent("the library's client meets every requirement", async () => {
  const subject = clientSubject({ timeoutMs: 700, totalTimeoutMs: 3000 });
  const { skip: _, ...short } = SHORT;
  const result = await checkDevice({ kind: 'client', subject, ...short });
  expect(findings(result)).toEqual([]);
  expect([result.verdict, result.subject]).toEqual(['conforms', 'client']);
  expect(result.totals.passed).toBeGreaterThan(35);
});
