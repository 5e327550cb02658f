import type { TestService } from '../../support/service.ts';

/** So many scans of a code that nobody can read, in one batch. @param more what is different */
export async function fillLog(service: TestService, count: number, more: object = {}) {
  const [key] = await service.store.list('key');
  const now = service.clock.now();
  const subject = { kind: 'unreadable' } as const;
  const scan = { kind: 'scan', keyId: key!.id, operation: 'consume', subject, now } as const;
  const request = { ...scan, serial: 'S-1', reader: '0', retry: null, ...more };
  await service.store.commitScans(Array.from({ length: count }, () => request));
}
