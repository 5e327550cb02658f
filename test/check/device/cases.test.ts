import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { DEVICE_CASES } from '../../../src/check/device/cases/cases.ts';
import { SCENES } from '../../../src/check/device/scenes/scenes.ts';
import { FULL_NAME, FULL_NOTE } from '../../../src/check/device/scenes/texts.ts';
import { sectionAt } from '../../../src/check/specification/specification.ts';

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
  const page = readFileSync('docs/device-check.md', 'utf8');
  expect(page).toContain(
    `A session with a device has ${count} scenes (${count - 1} without HTTPS)`,
  );
  expect(page).toContain(`Scene 9 of ${count}`);
});
