import { checkedName } from '../../core/checked-name.ts';
import { refuse } from '../../core/errors.ts';
import { type DeviceName, DeviceNames, type GatePlace } from '../../core/gate-name.ts';
import { DEVICE_NAME_CHARACTERS_MAX, DEVICE_NAMES_MAX } from '../../core/limits.ts';
import type { ApiKeyRecord } from '../../core/records.ts';
import type { RecordStore } from '../../stores/record-store.ts';
import { auditEntryOf, type RuleDeps } from '../actor.ts';

const KIND = 'device-names';

interface StoredNames {
  readonly revision: number;
  readonly names: readonly DeviceName[];
}

async function storedNames(
  store: Pick<RecordStore, 'read'>,
  organisationId: string,
): Promise<StoredNames> {
  const found = await store.read(KIND, organisationId);
  return { revision: found?.revision ?? 0, names: (found?.value ?? []) as readonly DeviceName[] };
}

/** The names of devices, in the order in which they were given. @param organisationId null for those of all */
export async function listDeviceNames(
  store: Pick<RecordStore, 'list' | 'read'>,
  organisationId: string | null,
): Promise<readonly DeviceName[]> {
  if (organisationId !== null) return (await storedNames(store, organisationId)).names;
  const all = await store.list(KIND);
  return all.flatMap(({ value }) => value as readonly DeviceName[]);
}

/** Finds the names of devices. @param organisationId null for those of all */
export async function deviceNamesOf(
  store: Pick<RecordStore, 'list' | 'read'>,
  organisationId: string | null,
): Promise<DeviceNames> {
  return new DeviceNames(await listDeviceNames(store, organisationId));
}

/** Finds what gates are called. @param organisationId null for those of all */
export async function gateNamesOf(
  store: Pick<RecordStore, 'list' | 'read'>,
  organisationId: string | null,
): Promise<(place: GatePlace) => string> {
  const which = organisationId === null ? {} : { organisationId };
  const [devices, keys, scanners] = await Promise.all([
    deviceNamesOf(store, organisationId),
    store.list('key', which),
    store.list('scanner', which),
  ]);
  const names = new Map([...keys, ...scanners].map(({ id, name }) => [id, name]));
  return (place) => devices.gate(place, (id) => names.get(id) ?? id);
}

/**
 * Names a device, or takes its name away. The name stays when the device is forgotten after a long silence, and with its entries when its key is deleted.
 * @param name null for none
 * @throws TicketscanError `usage` for what is no name, `limit` where too many devices have one, `conflict` when somebody else named a device meanwhile
 */
export async function nameDevice(
  { store, clock, actor }: Pick<RuleDeps, 'store' | 'clock' | 'actor'>,
  { id: keyId, organisationId }: Pick<ApiKeyRecord, 'id' | 'organisationId'>,
  serial: string,
  name: string | null,
): Promise<DeviceName | undefined> {
  const { revision, names } = await storedNames(store, organisationId);
  const others = names.filter((one) => one.keyId !== keyId || one.serial !== serial);
  const named =
    name === null
      ? undefined
      : { keyId, serial, name: checkedName(name.trim(), DEVICE_NAME_CHARACTERS_MAX) };
  const value = named ? [...others, named] : others;
  if (value.length > DEVICE_NAMES_MAX) throw refuse('device_names_max', { max: DEVICE_NAMES_MAX });
  const details = { serial, name };
  const audit = auditEntryOf(actor, clock, {
    act: 'device.name',
    subject: keyId,
    organisationId,
    details,
  });
  await store.write({
    administrative: [{ kind: KIND, id: organisationId, revision, value }],
    audit: [audit],
  });
  return named;
}
