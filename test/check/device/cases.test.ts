import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DEVICE_CASES } from '../../../src/check/device/cases/cases.ts';
import { judgeRegularity } from '../../../src/check/device/cases/heartbeat-cases.ts';
import { changeOf } from '../../../src/check/device/cases/sent-values.ts';
import { SessionResults } from '../../../src/check/device/cases/session-results.ts';
import { NO_REQUEST } from '../../../src/check/device/formats/format.ts';
import { accessController } from '../../../src/check/device/formats/models.ts';
import { pathOf, queryValues } from '../../../src/check/device/http.ts';
import { judgeSession } from '../../../src/check/device/judge-session.ts';
import { FULL_NAME, FULL_NOTE } from '../../../src/check/device/scenes/scene.ts';
import { FAST_SCENES, SCENES } from '../../../src/check/device/scenes/scenes.ts';
import {
  DEFAULT_SETTINGS,
  newRecord,
  sessionCodes,
} from '../../../src/check/device/session-record.ts';
import { SubjectObserver } from '../../../src/check/device/subject-observer.ts';
import type { Subject, SubjectSetup } from '../../../src/check/index.ts';
import { sectionAt } from '../../../src/check/specification/specification.ts';
import { REAL_CLOCK } from '../../../src/check/time/clock.ts';
import { createKeyring, readKeyring } from '../../../src/config/keyring-file.ts';
import { makeTicketCode } from '../../../src/core/ticket-code.ts';
import { makeTicketId } from '../../../src/core/ticket-id.ts';
import { renderQr } from '../../../src/tickets/codes/render-qr.ts';
import { temporaryFolder } from '../support/files.ts';

test('every case has an id of its own in a section that exists', () => {
  const ids = DEVICE_CASES.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const { id, kind } of DEVICE_CASES) {
    expect(id).toMatch(new RegExp(`^[\\d.]+/${kind}-[a-z\\d-]+$`));
    expect(sectionAt(id.split('/')[0] ?? ''), id).toBeDefined();
  }
});

test('every scene that a case names is played for its kind', () => {
  for (const { id, kind, scenes } of DEVICE_CASES)
    for (const scene of scenes) {
      const found = SCENES.find(({ id: own, leaves = [own] }) => leaves.includes(scene));
      expect(found, `${id} names ${scene}`).toBeDefined();
      expect(found?.kind ?? kind, id).toBe(kind);
    }
});

test('every case builds on cases of its kind', () => {
  for (const { id, kind, buildsOn = [] } of DEVICE_CASES)
    for (const base of buildsOn)
      expect([id, DEVICE_CASES.find((one) => one.id === base)?.kind]).toEqual([id, kind]);
});

test('every scene is judged by a case', () => {
  const named = new Set(DEVICE_CASES.flatMap(({ scenes }) => scenes));
  const unjudged = SCENES.filter(({ id, leaves = [id] }) => !leaves.some((one) => named.has(one)));
  expect(unjudged.map(({ id }) => id)).toEqual([]);
});

test('the longest texts fill a display to the byte', () => {
  expect([Buffer.byteLength(FULL_NAME), Buffer.byteLength(FULL_NOTE)]).toEqual([16, 32]);
});

test('the documents say how many scenes a session with a device has', () => {
  const count = SCENES.filter(({ kind }) => kind !== 'client').length;
  const page = readFileSync('docs/testing/device-check.md', 'utf8');
  expect(page).toContain(
    `A session with a device has ${count} scenes (${count - 1} without HTTPS)`,
  );
});

/** What a session leaves of a device with these heartbeats, seconds, while nothing else happened from 10 to 22. */
function resultsWith(
  beats: readonly number[],
  headers: readonly (readonly [string, string])[] = [],
): SessionResults {
  const record = newRecord('device', 'tscn_hw_test');
  record.marks['heartbeats'] = 10_000;
  record.marks['heartbeats-end'] = 22_000;
  for (const at of beats)
    record.requests.push({
      atMs: at * 1000,
      wallMs: 0,
      place: 'server',
      method: 'POST',
      target: '/scan/hw/heartbeat',
      headers,
      body: '',
      secure: false,
    });
  const settings = { ...DEFAULT_SETTINGS, heartbeatMs: 2000, waitTimeMs: 1000 };
  return new SessionResults(record, settings, accessController);
}

test.each([
  ['stop', [10, 12, 14, 16], '4 in 12.0 s, 2.0 s, 2.0 s, 2.0 s apart'],
  ['begin late', [15, 17, 19, 21], '4 in 12.0 s, 2.0 s, 2.0 s, 2.0 s apart'],
  ['hold while cards are read', [1, 7, 9, 11, 13, 15, 17, 19, 21], 'none for 6.0 s while cards'],
])('heartbeats that %s are not regular', (_do, beats, observed) => {
  expect(() => judgeRegularity(resultsWith(beats))).toThrow(observed);
});

test('regular heartbeats are told with their jitter', () => {
  const beats = [1, 3, 5, 8.9, 10.5, 12.4, 14.5, 16.5, 18.5, 20.5];
  expect(judgeRegularity(resultsWith(beats))).toBe(
    'every 2.0 s, up to 100 ms off; longest gap of the session 3.9 s',
  );
});

test.each([
  ['was busy', 600, 'unanswered'],
  ['was quiet', 0, 'failed'],
])('heartbeats that seem to stop while the judge itself %s', async (_was, ms, outcome) => {
  const results = resultsWith([10, 12, 14, 16]);
  results.record.played = ['heartbeats'];
  if (ms > 0) results.record.delays = [{ atMs: 19_000, ms }];
  const regular = DEVICE_CASES.filter(({ id }) => id === '4.5/device-heartbeat-regular');
  const [judged] = await judgeSession(regular, results);
  expect(judged?.outcome).toBe(outcome);
});

test.each([
  [[], ['warned', 'none, or several']],
  [
    ['gate', 'gate'],
    ['warned', 'none, or several'],
  ],
  [['user@gate'], ['warned', '"user@gate"']],
  [['gate:8080'], ['passed', null]],
])('the Host headers %j are judged', async (hosts, expected) => {
  const results = resultsWith(
    [10],
    hosts.map((host) => ['Host', host]),
  );
  results.record.played = ['granted'];
  const http = DEVICE_CASES.filter(({ id }) => id === '1/device-http');
  const [judged] = await judgeSession(http, results);
  expect([judged?.outcome, judged?.observed]).toEqual(expected);
});

test('a session presents codes of every length that Base64 pads otherwise, and one as long as real ones get', () => {
  const codes = sessionCodes('tscn_hw_test');
  expect(new Set(codes.map((code) => code.length % 3)).size).toBe(3);
  const path = join(temporaryFolder(), 'keyring.json');
  createKeyring(path);
  const ticketId = makeTicketId('0123456789', randomBytes);
  const longest = makeTicketCode(ticketId, readKeyring(path), 'TS2');
  expect(codes.at(-1)?.length).toBe(longest.length);
  const drawn = renderQr(longest, { format: 'text' }).split('\n');
  expect(Math.max(...drawn.map((line) => line.length))).toBeLessThanOrEqual(80);
  expect(drawn.length).toBeLessThanOrEqual(30);
});

test('a program that never says that it is done does not keep the session', async () => {
  const subject: Subject = {
    start: async () => {},
    present: () => new Promise(() => {}),
    close: async () => {},
  };
  const observer = new SubjectObserver(subject, REAL_CLOCK, 10);
  await observer.present({ code: 'a', number: 1, hint: '' });
});

test('a door that is watched while the session is interrupted keeps nobody waiting', async () => {
  let tell: Parameters<Subject['start']>[1] = () => {};
  const subject: Subject = {
    start: async (_setup, given) => {
      tell = given;
    },
    present: async () => tell({ door: 'open' }),
    close: async () => {},
  };
  const observer = new SubjectObserver(subject, REAL_CLOCK);
  await observer.start({} as SubjectSetup, () => 0);
  await observer.present({ code: 'a', number: 1, hint: '' });
  const seen = observer.observe({
    wants: ['seconds'],
    openMsMax: 60_000,
    reactionMs: 0,
    requests: 1,
  });
  await observer.close();
  expect(await seen).toMatchObject({ opened: true });
});

test('a request line with the whole address means the same as one with its path', () => {
  const request = { ...NO_REQUEST, target: 'http://10.0.0.1:80/scan/hw/consume?key=a%2Bb' };
  expect([pathOf(request), queryValues(request, 'key')]).toEqual(['/scan/hw/consume', ['a+b']]);
  expect(accessController.isAtAddress({ ...request, method: 'POST' })).toBe(true);
  expect(pathOf({ ...request, target: 'http://10.0.0.1?key=a' })).toBe('/');
});

const CODE = 'TS1.tkt_check1_zya0.AbC-dy';

test.each([
  [Buffer.from(CODE).toString('base64'), 'Base64 was encoded twice.'],
  [CODE.toUpperCase(), 'Capitals were changed.'],
  [CODE.slice(0, 20), 'It was cut to 20 of 26 characters.'],
  [CODE.split('.')[1], 'Only a part of the code was sent: "tkt_check1_zya0".'],
  [`]Q3${CODE}`, '"]Q3" stands before the code.'],
  [`${CODE}\r\n`, 'A line end stands behind the code.'],
  [`${CODE}XY`, '"XY" stands behind the code: of an earlier one, or a suffix.'],
  ['TS1.tkt_check1_yza0.AbC-dz', 'y and z are swapped: keyboard layout.'],
  ['TS1.tkt?check1?zya0.AbCßdy', '? in place of _, ß in place of -: keyboard layout.'],
  ['something else', undefined],
])(
  'a code that arrives as %j was changed in a way that has a name, or in none',
  (sent = '', cause) => {
    expect(changeOf(CODE, sent)).toBe(cause);
  },
);

test('the fast scenes are scenes', () => {
  const ids = SCENES.map(({ id }) => id);
  expect(FAST_SCENES.filter((id) => !ids.includes(id))).toEqual([]);
});
