import tls from 'node:tls';
import { Command, Option } from 'commander';
import { TicketscanError } from '../../core/errors.ts';
import {
  asSentence,
  CAUTIOUS_COMMAND,
  connectionFailure,
  inOneClause,
  isCertificateFailure,
} from '../../kit/failures.ts';
import { sanitizeForTerminal } from '../../kit/text.ts';
import { readGivenCode } from '../../terminal/given-codes.ts';
import { type CliIo, detail, note } from '../../terminal/io.ts';
import { readKeyValue } from '../../terminal/key-value.ts';
import { caOption, durationFor, readCa, readSettings } from '../../terminal/options.ts';
import { showResult } from '../../terminal/results.ts';
import { type ConsumeResult, ScanClient, ScanError, type ValidateResult } from '../index.ts';
import { unansweredText } from '../scan-error.ts';

interface ScanOptions {
  readonly url?: string;
  readonly key: string;
  readonly consume?: boolean;
  readonly idempotencyKey: boolean;
  readonly timeout: number;
  readonly ca?: string;
  readonly insecureHttp?: boolean;
  readonly insecureTls?: boolean;
  readonly json?: boolean;
}

const EXAMPLES = `
Examples:
  ticketscan scan file:code.txt --url https://scan.example.org --key env:SCAN_KEY
  ticketscan scan env:CODE --url https://scan.example.org --key file:key.txt --consume --json

Without --consume no use is taken. After a 429 it waits as long as the service says, and tries again.
Exit code 0 when the ticket is valid, 1 when it is denied, 2 for wrong options or a refused key, 3 without a result.`;

/** `ticketscan scan`: one scan at any service, as own software does it (section 4.6). */
export function command(io: CliIo): Command {
  return new Command('scan')
    .description('Check one ticket at a running service; with --consume also take a use.')
    .argument('<code>', 'the text of the QR code; env:NAME and file:PATH are read')
    .option('--url <url>', 'address of the service, with its path [TICKETSCAN_URL]')
    .requiredOption('--key <key>', 'a key of type api (software); env:NAME and file:PATH are read')
    .option('--consume', 'take one use')
    .option(
      '--no-idempotency-key',
      'for a service without Idempotency-Key: repeat a consume only after a 429',
    )
    .addOption(
      new Option('--timeout <duration>', 'for all tries together, such as 20s or 500ms')
        .argParser(durationFor('--timeout'))
        .default(20_000, '20s'),
    )
    .addOption(caOption())
    .option('--insecure-http', 'permit plain HTTP to another machine')
    .option('--insecure-tls', 'accept any certificate; for a test server only')
    .option('--json', 'the result as the service sent it')
    .addHelpText('after', EXAMPLES)
    .action((code: string, options: ScanOptions) => scanTo(io, code, options));
}

async function scanTo(io: CliIo, code: string, options: ScanOptions): Promise<void> {
  const ticketCode = readGivenCode(code, io);
  const { url } = readSettings(['url'], { ...options }, io);
  if (url === undefined) {
    throw new TicketscanError('usage', 'Which service? Add --url https://scan.example.org.');
  }
  try {
    await using client = clientFrom(io, url, options);
    const result = await (options.consume
      ? client.consume(ticketCode)
      : client.validate(ticketCode));
    showResult(io, options, result, sanitizeForTerminal(resultText(result)));
    io.exit(result.valid ? 0 : 1);
  } catch (error) {
    throw error instanceof ScanError ? failureFrom(error, url) : error;
  }
}

function clientFrom(io: CliIo, url: string, options: ScanOptions): ScanClient {
  const { idempotencyKey, timeout, ca, insecureHttp = false, insecureTls } = options;
  const pem = readCa({ ca }, io);
  return new ScanClient({
    baseUrl: url,
    apiKey: readKeyValue(options.key, io, '--key'),
    idempotent: idempotencyKey,
    totalTimeoutMs: timeout,
    insecureHttp,
    insecureTls,
    ca: pem === undefined ? undefined : [...tls.getCACertificates(), pem].join('\n'),
    onWait: ({ ms, because }) => {
      const seconds = (ms / 1000).toFixed(1);
      if (because === 'limited') note(io, `Too many requests: trying again in ${seconds} s.`);
      else detail(io, `No answer (${because}): trying again in ${seconds} s.`);
    },
  });
}

function resultText(result: ConsumeResult | ValidateResult): string {
  if (!result.valid) {
    const why = result.status === 'rejected' ? ` (${result.reason})` : '';
    return `DENIED: ${result.status}${why}: ${result.message}`;
  }
  const { status, ticketId, usesConsumed, usesAllowed, holder } = result;
  const whose = holder ? `, ${`${holder.firstName} ${holder.lastName}`.trim()}` : '';
  return `GRANTED: ${status}: ${ticketId}, ${usesConsumed} of ${usesAllowed} uses taken${whose}`;
}

/** An error that the user can fix is a usage error; all others mean no result (exit code 3). */
function failureFrom(error: ScanError, url: string): TicketscanError {
  const { origin } = new URL(url);
  if (isCertificateFailure(error.cause)) {
    const why = asSentence(inOneClause(connectionFailure(error.cause, origin, CAUTIOUS_COMMAND)));
    return new TicketscanError('unreachable', `${why} No use was taken.`, { cause: error });
  }
  if (error.code === 'no_answer') {
    const told = unansweredText(
      error.cause,
      { origin, useTaken: error.useTaken },
      CAUTIOUS_COMMAND,
    );
    return new TicketscanError('unreachable', told, { cause: error });
  }
  const isUsage = ['usage', 'key_refused', 'request_conflict'].includes(error.code);
  return new TicketscanError(isUsage ? 'usage' : 'unreachable', error.message, { cause: error });
}
