/** The name that people gave to a device of a key. */
export interface DeviceName {
  readonly keyId: string;
  readonly serial: string;
  readonly name: string;
}

/** Where a scan was: the key or account, and the device if one said its serial. */
export interface GatePlace {
  readonly keyId: string;
  readonly serial: string | null;
}

/** Finds the names of devices. */
export class DeviceNames {
  readonly #names: ReadonlyMap<string, string>;

  constructor(names: readonly DeviceName[]) {
    this.#names = new Map(names.map((one) => [placeName(one), one.name]));
  }

  /** The name of the device; undefined for one without a name. */
  of(place: GatePlace): string | undefined {
    return place.serial === null ? undefined : this.#names.get(placeName(place));
  }

  /** What a gate is called: the name of its device, else that of its key or account with the serial. @param keyName finds the name of a key or account */
  gate(place: GatePlace, keyName: (id: string) => string): string {
    const { keyId, serial } = place;
    return this.of(place) ?? (serial ? `${keyName(keyId)} (${serial})` : keyName(keyId));
  }
}

export const NO_DEVICE_NAMES = new DeviceNames([]);

function placeName({ keyId, serial }: GatePlace): string {
  return `${keyId} ${serial}`;
}
