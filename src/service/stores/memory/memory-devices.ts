import { DEVICES_PER_ORGANISATION_MAX } from '../../../core/limits.ts';
import type { DeviceRecord } from '../../../core/records.ts';
import type { MemoryState } from './memory-state.ts';

/** The devices of an organisation's keys, also of deleted ones; the latest contact first. */
export function devicesOf(state: MemoryState, organisationId: string): DeviceRecord[] {
  return [...state.devices.values()]
    .filter(({ keyId }) => state.ownerOfKey(keyId) === organisationId)
    .sort((a, b) => b.lastContactAt - a.lastContactAt);
}

/** Remembers a contact. Of an organisation with too many devices, the one that was silent longest is forgotten. */
export function saveContact(state: MemoryState, device: DeviceRecord): void {
  const name = nameOf(device);
  const isNew = !state.devices.has(name);
  state.devices.set(name, device);
  const organisationId = isNew ? state.ownerOfKey(device.keyId) : undefined;
  if (organisationId === undefined) return;
  const forgotten = devicesOf(state, organisationId).slice(DEVICES_PER_ORGANISATION_MAX);
  for (const one of forgotten) state.devices.delete(nameOf(one));
}

function nameOf({ keyId, serial }: DeviceRecord): string {
  return `${keyId} ${serial}`;
}
