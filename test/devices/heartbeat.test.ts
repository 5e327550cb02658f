import { describe, expect, test } from 'vitest';
import { clockDriftMs, contactFrom } from '../../src/scan/devices/heartbeat.ts';

const AT = Date.UTC(2026, 10, 21, 13, 45, 10);
const contact = (json: Record<string, unknown>) =>
  contactFrom({ text: JSON.stringify(json), json }, '10.0.0.1');

describe('the clock of a device', () => {
  test('is kept as the device says it, up to twenty characters', () => {
    expect(contact({ Now: '2026112113451006' }).clock).toBe('2026112113451006');
    expect(contact({ Now: '1'.repeat(21) }).clock).toBe('1'.repeat(20));
    expect(contact({ Serial: 'S' })).not.toHaveProperty('clock');
  });

  test.each([
    ['without a weekday', '20261121134510', 0],
    ['with a weekday of one digit', '202611211345106', 0],
    ['with a weekday of two digits', '2026112113451006', 0],
    ['three seconds ahead', '2026112113451306', 3000],
    ['ten seconds behind', '2026112113450006', -10_000],
    ['seven minutes ahead', '2026112113521006', 7 * 60_000],
    ['one zone to the east, two seconds ahead', '2026112114451206', 2000],
    ['in a zone of three quarters, four seconds behind', '2026112119300606', -4000],
    ['on another day and in another zone', '2026112201451006', 0],
    ['in another month and year', '2027010113451006', 0],
  ])('%s drifts', (_name, clock, driftMs) => {
    expect(clockDriftMs(clock, AT)).toBe(driftMs);
  });

  test.each([
    ['nothing', null],
    ['an empty text', ''],
    ['a word', 'noon'],
    ['seconds missing', '202611211345'],
    ['a letter in front', 'x20261121134510'],
    ['a letter behind', '20261121134510x'],
    ['three digits behind', '20261121134510006'],
    ['a letter in the year', '2o261121134510'],
    ['a letter in the month', '20261x21134510'],
    ['a letter in the weekday', '202611211345100x'],
  ])('that says %s is not read', (_name, clock) => {
    expect(clockDriftMs(clock, AT)).toBeNull();
  });
});
