import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startServer } from '../mutants/reference/server.ts';
import { CliFolder, PROGRAM, type RunningServe } from '../support/cli.ts';
import { ACTION, Workspace } from './support/steps.ts';

const SELECTION = '--only\n7.1/status\n2.3/exhausted*\n';

const folder = new CliFolder();
const workspace = new Workspace();
let server: RunningServe;

beforeAll(async () => {
  const target = await folder.json(['seed']);
  server = await folder.serve();
  workspace.write('target.json', { ...target, baseUrl: server.url });
});

afterAll(async () => {
  await folder[Symbol.asyncDispose]();
  await workspace[Symbol.asyncDispose]();
});

/** A server that answers an unknown ticket with 200, and the workspace of who checks it. */
async function brokenWorkspace() {
  const broken = await startServer({
    alter: (parts) => ({
      statusOf: (outcome, side) =>
        outcome.status === 'not_found' ? 200 : parts.statusOf(outcome, side),
    }),
  });
  const place = new Workspace();
  place.write('target.json', { ...broken.target, baseUrl: broken.baseUrl });
  return {
    place,
    async [Symbol.asyncDispose]() {
      await broken.close();
      await place[Symbol.asyncDispose]();
    },
  };
}

test('the action passes a right server, with all its reports', async () => {
  const { code, summary, outputs } = await workspace.runAction({
    'base-url': server.url,
    target: 'target.json',
    arguments: SELECTION,
    consume: 'true',
  });
  const report = 'ticketscan-report';
  expect({ code, outputs }).toEqual({
    code: 0,
    outputs: { 'exit-code': '0', verdict: 'conforms', report },
  });
  expect(summary).toContain('ticketscan check: conforms');
  const names = ['check.html', 'check.json', 'check.md', 'check.sarif', 'check.xml'];
  expect(readdirSync(join(workspace.path, report)).sort()).toEqual(names);
  const [run] = JSON.parse(workspace.read(`${report}/check.sarif`)).runs;
  expect(run.tool.driver.rules.map(({ id }: { id: string }) => id)).toContain('7.1/status');
});

test('the action fails for a broken server, annotates what deviates, and a baseline makes it pass', async () => {
  await using broken = await brokenWorkspace();
  const inputs = { target: 'target.json', arguments: '--only\n7.1/status', report: 'out' };
  const failed = await broken.place.runAction(inputs);
  expect(failed.code).toBe(1);
  expect(failed.log).toMatch(/^::error title=ticketscan 7\.1\/status::/m);
  expect(failed.outputs).toEqual({ 'exit-code': '1', verdict: 'deviates', report: 'out' });
  expect(failed.summary).toContain('7.1/status');
  broken.place.write('known.json', ['7.1/status']);
  const known = await broken.place.runAction({ ...inputs, baseline: 'known.json' });
  expect([known.code, known.outputs['verdict']]).toEqual([0, 'deviates']);
});

test('the action says so when the check could not run, and leaves no old report', async () => {
  const gone = { 'base-url': 'http://127.0.0.1:9', target: 'target.json' };
  const { code, log, summary, outputs } = await workspace.runAction(gone);
  expect(code).toBe(3);
  expect(log).toContain('::error title=ticketscan::ticketscan check could not run (exit code 3)');
  expect(summary).toContain('could not run (exit code 3)');
  expect(outputs['verdict']).toBe('');
  expect(readdirSync(join(workspace.path, 'ticketscan-report'))).toEqual([]);
});

test('the action without the program says what to install', async () => {
  const { code, log } = await workspace.runAction({ target: 'target.json' }, workspace.path);
  expect(code).toBe(2);
  expect(log).toContain('::error title=ticketscan::ticketscan is not installed. Install');
});

test('no input of the action is read as shell code', async () => {
  const hostile = '$(touch hacked)`touch hacked`"; touch hacked; "\'; touch hacked; \'';
  const names = Object.keys(ACTION.inputs);
  const inputs = Object.fromEntries(names.map((name) => [name, hostile]));
  expect((await workspace.runAction(inputs)).code).toBe(127);
  const { code, log } = await workspace.runAction({ ...inputs, program: PROGRAM });
  expect([code, log]).toEqual([2, expect.stringContaining('touch hacked')]);
  expect(workspace.has('hacked')).toBe(false);
  const { outputs } = await workspace.runAction({ report: 'out\nverdict=conforms' });
  expect(outputs['verdict']).toBe('');
});

test('expressions stand outside of scripts, and name what exists', () => {
  for (const { run = '', uses, shell } of ACTION.runs.steps) {
    expect(run).not.toContain('${{');
    if (uses === undefined) expect(shell).toBe('bash');
  }
  const text = readFileSync('action.yml', 'utf8');
  const used = [...text.matchAll(/inputs\.([\w-]+)/g)].map(([, name]) => name);
  expect(new Set(used)).toEqual(new Set(Object.keys(ACTION.inputs)));
});

test('the GitLab job passes a right server and fails for a broken one, in the plainest shell', async () => {
  const variables = {
    CHECK_PROGRAM: PROGRAM,
    TICKETSCAN_TARGET: 'target.json',
    CHECK_ARGUMENTS: '--only\n7.1/status',
  };
  const good = await workspace.runJob('sh', { ...variables, CHECK_BASE_URL: server.url });
  expect([good.code, good.log]).toEqual([0, expect.stringContaining('7.1')]);
  expect(workspace.read('ticketscan-report/check.xml')).toContain('failures="0"');
  await using broken = await brokenWorkspace();
  expect((await broken.place.runJob('sh', variables)).code).toBe(1);
  expect(broken.place.read('ticketscan-report/check.xml')).toContain('failures="1"');
  broken.place.write('known.json', ['7.1/status']);
  const known = await broken.place.runJob('bash', { ...variables, CHECK_BASELINE: 'known.json' });
  expect(known.code).toBe(0);
});

test('no variable of the GitLab job is read as shell code, and all may be empty', async () => {
  const hostile =
    '$(touch hacked)`touch hacked`"; touch hacked; "\'; touch hacked; \'\nEND\ntouch hacked';
  const names = ['CHECK_BASE_URL', 'CHECK_BASELINE', 'CHECK_ARGUMENTS', 'TICKETSCAN_TARGET'];
  const filled = Object.fromEntries(names.map((name) => [name, hostile]));
  const refused = await workspace.runJob('bash', { CHECK_PROGRAM: PROGRAM, ...filled });
  expect(refused.code).toBe(2);
  expect(workspace.has('hacked')).toBe(false);
  const { code, log } = await workspace.runJob('bash', { CHECK_PROGRAM: PROGRAM });
  expect(code).toBe(2);
  expect(log).toContain('base');
});
