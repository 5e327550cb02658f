import { describe, expect, test } from 'vitest';
import {
  deviceNamesOf,
  gateNamesOf,
  listDeviceNames,
  nameDevice,
} from '../../src/features/devices/rules.ts';
import { scanStatistics } from '../../src/features/statistics/scan-statistics.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { ENGINES, TestStore } from '../support/stores.ts';

async function named(gate: TestStore, serial: string, name: string | null) {
  const key = await gate.store.read('key', gate.keyId);
  if (!key) throw new Error('the key is missing');
  const { store, clock } = gate;
  const actor = { accountId: null, by: AN_AUDIT_ENTRY.by };
  await nameDevice({ store, clock, actor }, key, serial, name);
  return key;
}

describe.each(ENGINES)('%s', (engine) => {
  test('a gate is called by the name of its device, else by its key and serial', async () => {
    await using gate = await TestStore.open(engine);
    const { organisationId } = await named(gate, 'TOR2', ' North gate ');
    const { id } = await gate.mint({ kind: 'permanent' });
    const scans = ['TOR2', 'TOR3', null].map((serial) => gate.request(id, { serial }));
    await gate.scan(...scans, gate.request(id, { serial: 'TOR2' }));

    const gateName = await gateNamesOf(gate.store, organisationId);
    const { keyId } = gate;
    expect(gateName({ keyId, serial: 'TOR2' })).toBe('North gate');
    expect(gateName({ keyId, serial: 'TOR3' })).toBe('gate (TOR3)');
    expect(gateName({ keyId, serial: null })).toBe('gate');
    expect(gateName({ keyId: 'key_gone', serial: 'TOR2' })).toBe('key_gone (TOR2)');
    const day = { from: '2026-07-01', to: '2026-07-01', timeZone: 'UTC' };
    const request = { ...day, organisationId, by: 'gate' } as const;
    const { rows } = await scanStatistics(gate.store, request, gate.clock.now());
    expect(rows.map(({ gate: name, serial, admitted }) => [name, serial, admitted]).sort()).toEqual(
      [
        ['North gate', 'TOR2', 2],
        ['gate (TOR3)', 'TOR3', 1],
        ['gate', null, 1],
      ],
    );
  });

  test('a name is changed and taken away, with an audit entry each, and outlives a restart', async () => {
    await using gate = await TestStore.open(engine);
    const { organisationId } = await named(gate, 'TOR2', 'North');
    await named(gate, 'TOR2', 'South');
    await gate.reopen();
    const serial = { keyId: gate.keyId, serial: 'TOR2' };
    expect(await listDeviceNames(gate.store, organisationId)).toEqual([
      { ...serial, name: 'South' },
    ]);
    await named(gate, 'TOR2', null);
    expect((await deviceNamesOf(gate.store, organisationId)).of(serial)).toBeUndefined();
    const entries = await gate.store.readAuditLog({ limit: 3 });
    expect(entries.map(({ act, details }) => [act, details['name']])).toEqual([
      ['device.name', null],
      ['device.name', 'South'],
      ['device.name', 'North'],
    ]);
  });

  test('a name that is none is refused', async () => {
    await using gate = await TestStore.open(engine);
    for (const name of [' ', 'a\nb', 'x'.repeat(61)]) {
      await expect(named(gate, 'TOR2', name)).rejects.toMatchObject({ reason: 'name_invalid' });
    }
  });
});
