import type { ScanAnswer } from '../../src/core/scan-requests.ts';
import type { ScanInput } from '../../src/scan/scan-service.ts';
import type { AnswerLine } from '../history/record.ts';
import type { Card, Scan } from './plan.ts';

/** What the process reads from the request. */
export function requestFor(
  place: number,
  scan: Scan | Card,
  ticketCode: string,
): Omit<ScanInput, 'key'> {
  const operation = scan.does === 'card' ? 'consume' : scan.action;
  const device = (serial: string | null) => ({ model: 'access-controller', serial, reader: '0' });
  const asked = { operation, ticketCode } as const;
  if (scan.does === 'card')
    return { ...asked, device: device(scan.hasSerial ? `device-${place}` : null) };
  if (scan.name === 'none') return asked;
  if (scan.name === 'serial') return { ...asked, device: device(`device-${place}`) };
  const retry = { name: `name-${place}`, body: Buffer.from(ticketCode), language: 'en' } as const;
  return { ...asked, retry };
}

/** What a client hears, as its record has it. */
export function lineFrom(answer: ScanAnswer): Omit<AnswerLine, 'id' | 'at'> | undefined {
  switch (answer.kind) {
    case 'quota_exceeded':
      return { type: 'fail', status: 'limited' };
    case 'key_refused':
    case 'limited':
    case 'retry_conflict':
    case 'bad_retry_name':
    case 'too_few_uses':
      return { type: 'fail', status: answer.kind };
    case 'decided': {
      const { decision } = answer;
      const granted = decision.status === 'consumed' || decision.status === 'validated';
      return {
        type: granted ? 'ok' : 'fail',
        status: decision.status,
        ...('reason' in decision && { reason: decision.reason }),
        ...('ticket' in decision && {
          usesConsumed: decision.ticket.usesConsumed,
          usesAllowed: decision.ticket.usesAllowed,
        }),
        ...('scannedAt' in decision && { scannedAt: new Date(decision.scannedAt).toISOString() }),
      };
    }
  }
}
