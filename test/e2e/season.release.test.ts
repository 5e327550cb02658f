import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { CliFolder, type RunningServe } from '../support/cli.ts';
import { PATIENTLY } from '../support/patience.ts';

const GUESTS = 400;
const GONE = 300;

const folder = new CliFolder();
const inFolder = (name: string) => join(folder.path, name);
let server: RunningServe;
let key = '';
let codes: string[] = [];

beforeAll(async () => {
  await folder.json(['events', 'create', '--name', 'Pool']);
  const limits = ['--rate', '1000', '--burst', '2000', '--time-zone', 'Europe/Berlin'];
  await folder.json(['organisations', 'edit', ...limits]);
  const readers = ['--readers', '0=in,1=out', '--on-exit', 'open'];
  const gate = ['--name', 'Turnstile', '--type', 'hardware', '--events', 'all'];
  ({ key } = await folder.json(['keys', 'create', ...gate, ...readers]));
});
afterAll(() => folder[Symbol.asyncDispose]());

/** People who come to the two-way turnstile one after another. @returns the summary of the run */
async function pass(reader: '0' | '1', cards: readonly string[], value = key) {
  writeFileSync(inFolder('cards.txt'), cards.join('\n'));
  const gates = ['--devices', '4', '--rate', '150', '--heartbeat', '0', '--reader', reader];
  const people = ['--people', String(cards.length), '--cards-from', 'cards.txt'];
  const args = ['simulate', server.url, '--key', value, ...gates, ...people, '--json'];
  const { out } = await folder.run([...args, '--events', 'none']);
  return JSON.parse(out.trim().split('\n').at(-1) ?? '');
}

const peopleInside = async () => (await folder.json(['events', 'list']))[0].inside;
const totals = async () => (await folder.json(['stats'])).totals;

test('in the morning tickets are printed', async () => {
  const run = ['mint', '--event', 'Pool', '--type', 'single', '--count', String(GUESTS)];
  const files = ['--format', 'pdf,json', '--out', 'tickets'];
  expect(await folder.run([...run, ...files])).toMatchObject({ code: 0 });
  expect(readdirSync(inFolder('tickets')).sort()).toEqual(['tickets.json', 'tickets.pdf']);
  const minted = JSON.parse(readFileSync(inFolder('tickets/tickets.json'), 'utf8'));
  codes = minted.map(({ code }: { code: string }) => code);
  expect(new Set(codes).size).toBe(GUESTS);
  server = await folder.serve();
});

test('everybody comes in once, and most go out again', async () => {
  expect(await pass('0', codes)).toMatchObject({ granted: GUESTS, denied: 0, errors: 0 });
  expect(await pass('1', codes.slice(0, GONE))).toMatchObject({ granted: GONE, denied: 0 });
  expect(await pass('0', codes.slice(0, 5))).toMatchObject({ granted: 0, denied: 5 });
  expect(await peopleInside()).toMatchObject({
    people: GUESTS - GONE,
    entered: GUESTS,
    exited: GONE,
  });
});

test('a gate did not turn: the use is taken back, and the guest comes in with it', async () => {
  const { out } = await folder.run(['log', '--outcome', 'consumed', '--limit', '1', '--json']);
  const last = JSON.parse(out);
  const undo = ['tickets', 'undo', String(last.sequence), '--reason', 'the gate did not turn'];
  expect(await folder.json(undo)).toMatchObject({ outcome: 'undone' });
  expect((await folder.run(undo)).code).not.toBe(0);
  expect(await peopleInside()).toMatchObject({ people: GUESTS - GONE - 1 });
  const code = codes.find((one) => one.includes(last.ticketId)) ?? '';
  expect(await pass('0', [code])).toMatchObject({ granted: 1 });
});

test('the key is rotated: the old value is an unknown key', async () => {
  const old = key;
  ({ key } = await folder.json(['keys', 'rotate', 'Turnstile', '--overlap', '0']));
  const [guest = ''] = codes.slice(GONE);
  expect(await pass('1', [guest], old)).toMatchObject({ granted: 0, denied: 1 });
  expect(await pass('1', [guest])).toMatchObject({ granted: 1 });
  const refused = async () => (await folder.run(['log', '--refused', '--json'])).out;
  await expect.poll(refused, PATIENTLY).toContain('"serial":"SIM0000');
});

test('the power fails; nothing that was acknowledged is forgotten', async () => {
  await server.stop('SIGKILL');
  server = await folder.serve();
  expect(await pass('0', codes.slice(0, 3))).toMatchObject({ granted: 0, denied: 3 });
  expect(await peopleInside()).toMatchObject({ people: GUESTS - GONE - 1 });
});

test('in the evening the numbers of the day are right', async () => {
  expect(await totals()).toEqual({
    admitted: GUESTS + 1,
    denied: 8,
    validations: 0,
    undone: 1,
    exits: GONE + 1,
  });
  expect(await folder.json(['audit'])).toMatchObject({ ok: true, tickets: GUESTS, problems: [] });
  expect(await server.stop()).toBe(0);
});
