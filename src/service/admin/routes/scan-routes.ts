import { mayScan } from '../../../core/administrative-records.ts';
import { RetryLater, TicketscanError } from '../../../core/errors.ts';
import type { ScanAnswer } from '../../../core/scan-batch.ts';
import { ErrorBody } from '../../../operations/fields.ts';
import { scopeOf } from '../../../operations/route.ts';
import { preferredLanguage } from '../../http/scan-result.ts';
import { AccountScans } from '../account-scans.ts';
import type { AdminApp, AdminContext } from '../admin-app.ts';
import { principalOfRequest } from '../security/guard.ts';
import { scanView } from '../views/scan-view.ts';
import { NewScan, ScanDone, ScannerList } from '../wire/scans.ts';

const VIEWERS_READ =
  'The role viewer only reads. Scan with an API key, or ask an owner for the role scanner.';

/** Scans by people who are signed in: the page, on a phone or at a desk. Software scans with a key, under `/scan`. */
export function scanRoutes(app: AdminApp, context: AdminContext): void {
  const scans = new AccountScans(context.accountDeps, context.keyring, context.service);
  scannersRoute(app, context);
  app.post(
    '/scans',
    {
      config: { access: 'scanner', sessionOnly: true, share: 'scans' },
      schema: {
        tags: ['Scans'],
        operationId: 'scanTicket',
        summary: 'Scan a ticket as the signed-in account',
        description:
          'For the roles scanner, operator and owner, in a session only. The limits are those of one API key, for each account; the log names the account. A decision is a 200, also a denial: read `valid`. After a 429, a 5xx or no answer, repeat the request with the same `requestId`: it counts once.',
        body: NewScan,
        response: { 200: ScanDone, 403: ErrorBody, 429: ErrorBody },
      },
    },
    async (request) => {
      const principal = principalOfRequest(request);
      if (!mayScan(principal.role)) {
        throw new TicketscanError('not_allowed', VIEWERS_READ, { reason: 'role_missing' });
      }
      const language = preferredLanguage(request.headers['accept-language']);
      const answer = await scans.scan(principal, { ...request.body, language });
      const decision = decisionOf(answer);
      return scanView(decision, language, scopeOf(request, context));
    },
  );
}

function decisionOf(answer: ScanAnswer) {
  switch (answer.kind) {
    case 'decided':
      return answer.decision;
    case 'limited':
    case 'quota_exceeded':
      throw new RetryLater('too_many_attempts', answer.retryAfterSeconds);
    case 'retry_conflict':
      throw new TicketscanError('usage', 'This requestId belongs to another scan. Make a new one.');
    default:
      throw new Error(`a scan by an account was answered with ${answer.kind}`);
  }
}

function scannersRoute(app: AdminApp, context: AdminContext): void {
  app.get(
    '/scanners',
    {
      config: { access: 'viewer' },
      schema: {
        tags: ['Scans'],
        operationId: 'listScanners',
        summary: 'The accounts that have scanned',
        description: 'Also deleted ones. Entries of the scan log name them in place of a key.',
        response: { 200: ScannerList },
      },
    },
    async (request) => {
      const scanners = await scopeOf(request, context).scanners();
      return { items: scanners.map(({ id, name }) => ({ id, name })), next: null };
    },
  );
}
