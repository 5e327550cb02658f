import type { DeviceContact, HeartbeatAnswer, ScanAnswer } from '../../core/scan-batch.ts';
import type { KeyAccess } from '../../scan/key-cache.ts';
import { type ScanInput, ScanService } from '../../scan/scan-service.ts';
import { exchangeContext } from './exchange-context.ts';

const TOO_MANY = { kind: 'limited', retryAfterSeconds: 1 } as const;

/** The real service, which now and then fails on purpose: the edge then answers in the caller's own format. */
export class ObservedService extends ScanService {
  override async scan(input: ScanInput): Promise<ScanAnswer> {
    if (refusesAsTooMany()) return TOO_MANY;
    failOnPurpose('before');
    const answer = await super.scan(input);
    failOnPurpose('after');
    return answer;
  }

  override async heartbeat(key: KeyAccess, contact: DeviceContact): Promise<HeartbeatAnswer> {
    if (refusesAsTooMany()) return TOO_MANY;
    failOnPurpose('before');
    const answer = await super.heartbeat(key, contact);
    failOnPurpose('after');
    return answer;
  }
}

function refusesAsTooMany(): boolean {
  return (
    exchangeContext.getStore()?.hits.some(({ effect }) => effect === 'too-many-requests') ?? false
  );
}

function failOnPurpose(moment: 'before' | 'after'): void {
  const { hits = [], curtain } = exchangeContext.getStore() ?? {};
  if (curtain?.aborted) throw new Error('the service was reset');
  if (hits.some(({ effect, when }) => effect === 'server-error' && when === moment)) {
    throw new Error('an injected fault');
  }
}
