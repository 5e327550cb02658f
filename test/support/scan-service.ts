import { temporaryKeyring } from '../../src/config/keyring-file.ts';
import { ScanService } from '../../src/scan/scan-service.ts';
import type { TestStore } from './stores.ts';

export interface Gate {
  readonly keyId: string;
  /** How each of so many scans, one after another, was answered. */
  scans(count: number): Promise<string[]>;
  heartbeat(): Promise<string>;
}

/** The service in front of a store, and a key that scans. */
export async function serviceOn({ store, clock, administration }: TestStore): Promise<Gate> {
  const keyring = temporaryKeyring();
  const service = new ScanService({ store, keyring: () => keyring, clock, deviceRetryWindowMs: 0 });
  const options = { name: 'scanner', type: 'hardware', events: 'all' } as const;
  const { key, value } = await administration.keys.create(options);
  const found = async () => {
    const access = await service.findKey(value, 'hardware');
    if (!access) throw new Error('the key is refused');
    return access;
  };
  return {
    keyId: key.id,
    async scans(count) {
      const answers: string[] = [];
      for (let index = 0; index < count; index += 1) {
        const input = { key: await found(), operation: 'consume', ticketCode: 'TS1.x.y' } as const;
        answers.push((await service.scan(input)).kind);
      }
      return answers;
    },
    async heartbeat() {
      const contact = { model: 'm', serial: 's', address: 'a', firmware: 'f' };
      return (await service.heartbeat(await found(), contact)).kind;
    },
  };
}
