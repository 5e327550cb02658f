import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { jsonSchemas } from '../../scripts/json-schemas.ts';
import { check, compare, explore, renderReport, replay } from '../../src/check/index.ts';
import { NO_DEVICE_NAMES } from '../../src/core/gate-name.ts';
import {
  attempt,
  gapMessage,
  noticeMessage,
  testMessage,
} from '../../src/features/webhooks/message.ts';
import { findingsOf, MANY_DENIALS } from '../../src/features/webhooks/notices.ts';
import { minterOf } from '../mutants/reference/minter.ts';
import { startServer } from '../mutants/reference/server.ts';
import { exchangeBytes } from '../record/support/recorder.ts';
import { CliFolder } from '../support/cli.ts';
import { delivering, eventually } from '../webhooks/support/delivering.ts';

type Schema = Record<string, unknown>;

const ajv = new Ajv2020.Ajv2020({ strict: false, validateFormats: false });

/** What a schema has against a document; `isClosed`: it may have no member that the schema does not name. */
function problemsOf(name: string, document: unknown, isClosed = true): string[] {
  const schema = JSON.parse(readFileSync(`docs/schemas/${name}.schema.json`, 'utf8'));
  const validate = ajv.compile((isClosed ? closed(schema) : schema) as Schema);
  return validate(document) ? [] : [ajv.errorsText(validate.errors)];
}

function closed(schema: unknown): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  if (Array.isArray(schema)) return schema.map(closed);
  const entries = Object.entries(schema).map(([key, value]) => [key, closed(value)]);
  const isOpen = 'properties' in schema && !('additionalProperties' in schema);
  return { ...Object.fromEntries(entries), ...(isOpen && { additionalProperties: false }) };
}

test('the schemas are what `npm run docs` writes, and no others', () => {
  const written = jsonSchemas();
  for (const [path, text] of written) expect(readFileSync(path, 'utf8'), path).toBe(text);
  const inDocs = globSync('docs/schemas/*.json').sort();
  expect(inDocs).toEqual([...written.keys()].filter((path) => path.startsWith('docs/')).sort());
});

describe('reports of the checker', () => {
  /** Answers every second consume with an error, so that something is found. */
  const startFaulty = () => {
    let requests = 0;
    return startServer({
      alter: () => ({
        finish(reply, { path }) {
          if (reply.status === 401 || path !== '/scan/consume') return reply;
          requests += 1;
          return requests % 2 === 1 ? reply : { ...reply, status: 500, body: {} };
        },
      }),
    });
  };
  let right: Awaited<ReturnType<typeof startServer>>;
  let faulty: Awaited<ReturnType<typeof startServer>>;
  beforeAll(async () => {
    [right, faulty] = [await startServer(), await startFaulty()];
  });
  afterAll(() => Promise.all([right.close(), faulty.close()]));
  const LIMITS = { rate: 1e6, burst: 1e6 };
  const optionsOf = ({ baseUrl, target }: typeof right) => ({ baseUrl, target, consume: true });

  test('check', async () => {
    for (const server of [right, faulty]) {
      const report = await check({ ...optionsOf(server), only: ['4.2', '7.1'] });
      expect(report.findings.length > 0).toBe(server === faulty);
      expect(problemsOf('check-report', JSON.parse(renderReport('json', report)))).toEqual([]);
    }
  });

  test('explore, and what it found again', async () => {
    const options = { ...optionsOf(faulty), limits: LIMITS };
    const report = await explore({ ...options, budget: 60, seed: 1, mint: minterOf(faulty.world) });
    expect(report.failure).not.toBeNull();
    expect(problemsOf('explore-report', JSON.parse(JSON.stringify(report)))).toEqual([]);

    const history = report.failure?.history;
    const again = await replay({ ...options, mint: minterOf(faulty.world), history });
    expect(problemsOf('replay-report', JSON.parse(JSON.stringify(again)))).toEqual([]);
  });

  test('compare', async () => {
    const a = { ...optionsOf(right), limits: LIMITS };
    const b = { ...optionsOf(faulty), limits: LIMITS };
    const report = await compare({ a, b, budget: 300, seed: 1 });
    expect(report.verdict).toBe('differ');
    expect(problemsOf('compare-report', JSON.parse(JSON.stringify(report)))).toEqual([]);
  });
});

describe('files and lines of the program', () => {
  const cli = new CliFolder();
  afterAll(() => cli[Symbol.asyncDispose]());
  const read = (file: string) => JSON.parse(readFileSync(join(cli.path, file), 'utf8'));
  const linesOf = (text: string) =>
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));

  test('target files, log entries and a recording', async () => {
    await cli.run(['seed', '--count', '2', '--out', 'target.json']);
    const target = read('target.json');
    expect(problemsOf('target-file', target, false)).toEqual([]);
    const sample = JSON.parse(readFileSync('fixtures/target.sample.json', 'utf8'));
    expect(problemsOf('target-file', sample, false)).toEqual([]);
    expect(problemsOf('target-file', { ...target, keys: { rset: 'x' } }, false)).not.toEqual([]);

    const serve = await cli.serve();
    const record = ['record', serve.url, '--port', '0', '--out', 'recording.jsonl', '--json'];
    const [, url = ''] = await cli.runUntil(record, /"url":"([^"]+)"/);
    const ticketCode = target.tickets.single[0].code ?? target.tickets.single[0];
    const body = JSON.stringify({ ticketCode });
    const head = [
      'POST /scan/consume HTTP/1.1',
      'host: gate',
      `x-api-key: ${target.keys.rest}`,
      'content-type: application/json',
      `content-length: ${body.length}`,
    ];
    const request = `${head.join('\r\n')}\r\n\r\n${body}`;
    await exchangeBytes(url, [request], (answer) => answer.endsWith('}'));

    const { out } = await cli.run(['log', '--json']);
    expect(linesOf(out)).not.toEqual([]);
    for (const entry of linesOf(out)) expect(problemsOf('log-entry', entry)).toEqual([]);
    const recording = () => readFileSync(join(cli.path, 'recording.jsonl'), 'utf8');
    await eventually(() => linesOf(recording()).length === 2);
    for (const line of linesOf(recording())) expect(problemsOf('recording', line)).toEqual([]);
    await serve.stop();
  });

  test('the report of a simulation, and its summary on stdout', async () => {
    const args = ['--rate', '5', '--duration', '1s', '--expect', 'errors=0', '--json'];
    const { out } = await cli.run(['simulate', 'virtual:', ...args, '--report', 'run.json']);
    const report = read('run.json');
    expect(problemsOf('simulate-report', report)).toEqual([]);
    expect(linesOf(out).at(-1)).toEqual(report.summary);
  });

  test('the findings of doctor', async () => {
    const { out } = await cli.run(['doctor', '--port', '0', '--json']);
    expect(problemsOf('doctor-report', JSON.parse(out))).toEqual([]);
  });
});

describe('webhooks', () => {
  test('what a receiver gets of scans', async () => {
    const { receiver, start, create, scan } = await delivering();
    await create();
    await scan(3);
    start();
    await eventually(() => receiver.received.length >= 4);
    for (const { body } of receiver.received)
      expect(problemsOf('webhook-message', body)).toEqual([]);
  });

  test('what is told of devices, quotas, denials and gaps', async () => {
    const now = Date.UTC(2026, 6, 1, 12);
    const texts = { organisationId: 'org_1', type: 'hardware', events: 'all', relay: 'auto' };
    const key = { id: 'key_1', name: 'Gate', ...texts, active: true, openSeconds: 5, createdAt: 0 };
    const device = { keyId: key.id, serial: 'S-1', model: 'M', lastContactAt: now - 60_000 };
    const counts = { serial: null, admitted: 1, denied: MANY_DENIALS.count };
    const quota = { requestsInMonth: 96, quotaPerMonth: 100, usedUpAt: null };
    const observed = {
      now,
      keys: new Map([[key.id, key]]),
      devices: [device],
      months: [{ key, ...quota }],
      gates: [{ keyId: key.id, ...counts }],
      names: NO_DEVICE_NAMES,
    } as unknown as Parameters<typeof findingsOf>[0];
    const { notices } = findingsOf(observed, { offline: [], quota: {}, denials: {} });
    expect(notices.map(({ type }) => type)).toEqual([
      'device.offline',
      'quota.warning',
      'denials.many',
    ]);
    const gap = { fromSequence: 1, toSequence: null, reason: 'pruned', notices: 0 } as const;
    const messages = [
      ...notices.map((one, number) =>
        noticeMessage('whk_1', { ...one, number, at: now, afterSequence: 0 }),
      ),
      gapMessage('whk_1', gap, now),
      testMessage('whk_1', '1', now),
    ];
    for (const message of messages) {
      const bodies: string[] = [];
      const webhook = { url: 'https://erp.example.org', secrets: [] } as unknown as Parameters<
        typeof attempt
      >[1];
      const send = async (request: { body: string }) => {
        bodies.push(request.body);
        return { status: 200, ms: 1 };
      };
      await attempt(message, webhook, { at: now, number: 1, send: send as never });
      expect(problemsOf('webhook-message', JSON.parse(bodies[0] ?? ''))).toEqual([]);
    }
  });
});
