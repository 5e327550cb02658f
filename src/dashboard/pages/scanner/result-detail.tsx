import { Link } from 'wouter';
import { queryOf } from '../../api/http.ts';
import { useMay } from '../../api/session.tsx';
import type { LastUseOfTicket } from '../../api/types.ts';
import { useRead } from '../../api/use-api.ts';
import { Name } from '../../components/name.tsx';
import { passedBound } from '../../components/ticket-window.tsx';
import { TimeText } from '../../components/time-text.tsx';
import { useFormats } from '../../i18n/formats.ts';
import { type Texts, useTexts } from '../../i18n/language.tsx';
import type { ScanAnswer, ScanResult } from '../../scanner/scan-ticket.ts';

/** The details of a result: the reason, the holder, the uses and the next step. */
export function ResultDetail({ answer }: { answer: ScanAnswer }) {
  const { scanner } = useTexts();
  if (answer.kind === 'decided') return <Decided result={answer.result} />;
  return <span>{explanationOf(answer, scanner)}</span>;
}

function explanationOf(
  { kind }: Exclude<ScanAnswer, { kind: 'decided' }>,
  scanner: Texts['scanner'],
): string {
  const texts = {
    unknown: scanner.unknownHelp,
    too_many: scanner.tooMany,
    key_refused: scanner.keyRefused,
    signed_out: scanner.signedOut,
    not_allowed: scanner.notAllowed,
  };
  return texts[kind];
}

function Decided({ result }: { result: ScanResult }) {
  const { scanner, outcomes } = useTexts();
  const mayLookUp = useMay('viewer');
  const { valid, status, reason, holder, eventName, usesAllowed, usesRemaining } = result;
  const named: Record<string, string> = outcomes;
  return (
    <>
      {!valid && <span>{named[reason ?? status] ?? status}</span>}
      {holder && (
        <strong>
          <Name>{`${holder.firstName} ${holder.lastName}`.trim()}</Name>
        </strong>
      )}
      {eventName && (
        <span>
          <Name>{eventName}</Name>
        </span>
      )}
      {valid && usesRemaining !== undefined && <span>{scanner.usesLeft(usesRemaining)}</span>}
      {!valid && usesAllowed !== undefined && result.usesConsumed !== undefined && (
        <span>{scanner.usesTaken(result.usesConsumed, usesAllowed)}</span>
      )}
      <LastUseOf result={result} />
      <NextStep result={result} />
      {result.searchFor && mayLookUp && (
        <Link href={`/tickets${queryOf({ search: result.searchFor })}`}>
          {scanner.searchTicket}
        </Link>
      )}
    </>
  );
}

/** Who is signed in may ask for it where the answer does not say it. */
function LastUseOf({ result }: { result: ScanResult }) {
  const { status, ticketId, usesConsumed = 0, lastUse } = result;
  const isUnsaid = lastUse === undefined && status !== 'consumed' && usesConsumed > 0;
  const asked = useRead<LastUseOfTicket>(`/tickets/${ticketId}/last-use?uses=${usesConsumed}`, {
    enabled: isUnsaid && ticketId !== undefined,
  });
  const answer = asked.isPlaceholderData ? undefined : asked.data;
  const found = isUnsaid ? answer?.lastUse : lastUse;
  return found ? <LastUse {...found} /> : null;
}

function LastUse({ at, gate }: NonNullable<ScanResult['lastUse']>) {
  const { scanner } = useTexts();
  return (
    <span>
      {scanner.lastUse} <TimeText at={at} />
      {gate !== null && (
        <>
          , <Name>{gate}</Name>
        </>
      )}
    </span>
  );
}

/** For who stands at the gate and must say something to the guest. */
function NextStep({ result }: { result: ScanResult }) {
  const { nextSteps } = useTexts().scanner;
  const formats = useFormats();
  const name = (result.reason ?? result.status) as keyof typeof nextSteps;
  const step = nextSteps[name];
  if (!step) return null;
  const bound = passedBound(name, result);
  const text = typeof step === 'function' ? step(bound && formats.dateTime(bound)) : step;
  return <span className="next-step">{text}</span>;
}
