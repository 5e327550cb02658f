import { Button } from '@mantine/core';
import { IconCircleCheck, IconCircleX, IconHelpCircle, IconHourglass } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { queryOf } from '../api/http.ts';
import { useMay, useRead } from '../api/use-api.tsx';
import { endOfId, holderOf, Name, StateBadge, TimeText } from '../components/values.tsx';
import { useFormats, useTexts } from '../i18n/language.tsx';
import type { Texts } from '../i18n/texts.ts';
import { type Scan, type ScanAnswer, type ScanResult, signalOf } from '../scanner/scanning.ts';

const ICONS = { good: IconCircleCheck, bad: IconCircleX, unknown: IconHelpCircle };
const ICON_SIZE = 96;

interface AnnouncedProps {
  readonly look: string;
  readonly Icon: typeof IconCircleCheck | undefined;
  readonly word: string;
  /** The number makes the same answer to the next ticket a new announcement. */
  readonly number?: number | undefined;
  readonly text: ReactNode;
  /** Not announced, as its buttons. */
  readonly children?: ReactNode;
}

/** Colour, sign and word, to be seen from two metres away, and announced. */
function Announced({ look, Icon, word, number, text, children }: AnnouncedProps) {
  return (
    <div className={`result ${look}`}>
      <div role="status" aria-live="assertive" aria-atomic>
        <div className="result-text" key={number}>
          {Icon && <Icon size={ICON_SIZE} aria-hidden />}
          <strong className="result-word">{word}</strong>
          {text}
        </div>
      </div>
      {children}
    </div>
  );
}

interface ResultPanelProps {
  readonly scan: Scan | undefined;
  readonly pending: boolean;
  readonly onRetry: (scan: Scan) => void;
}

type Kind = ScanAnswer['kind'];
const MAY_REPEAT: ReadonlySet<Kind> = new Set<Kind>(['unknown', 'too_many']);
const NOT_SCANNED: ReadonlySet<Kind> = new Set<Kind>(['too_many', 'signed_out', 'not_allowed']);

/** The answer to the last scan. */
export function ResultPanel({ scan, pending, onRetry }: ResultPanelProps) {
  const texts = useTexts();
  const { scanner } = texts;
  const signal = scan && signalOf(scan.answer);
  return (
    <Announced
      look={pending ? 'pending' : (signal ?? 'ready')}
      Icon={signal && ICONS[signal]}
      number={scan?.number}
      word={scan ? wordFor(scan.answer, texts) : scanner.ready}
      text={scan ? <ResultDetail answer={scan.answer} /> : <span>{scanner.readyHelp}</span>}
    >
      {scan?.answer.kind === 'signed_out' && (
        <Button variant="white" color="dark" onClick={() => location.reload()}>
          {scanner.signInAgain}
        </Button>
      )}
      {scan && MAY_REPEAT.has(scan.answer.kind) && (
        <Button variant="white" color="dark" onClick={() => onRetry(scan)}>
          {texts.general.retry}
        </Button>
      )}
    </Announced>
  );
}

/** Shown after a 429, until the ticket is asked about again. */
export function WaitPanel({ seconds, onStop }: { seconds: number; onStop: () => void }) {
  const { scanner } = useTexts();
  return (
    <Announced
      look="pending"
      Icon={IconHourglass}
      word={scanner.wait}
      text={<span>{scanner.waitHelp(seconds)}</span>}
    >
      <Button variant="white" color="dark" onClick={onStop}>
        {scanner.stopWaiting}
      </Button>
    </Announced>
  );
}

/** The word in large letters. */
function wordFor(answer: ScanAnswer, { scanner }: Texts): string {
  if (answer.kind === 'unknown') return scanner.unknown;
  if (NOT_SCANNED.has(answer.kind)) return scanner.notScanned;
  if (answer.kind !== 'decided' || !answer.result.valid) return scanner.denied;
  return answer.result.status === 'consumed' ? scanner.admitted : scanner.valid;
}

/** The details of a result: the reason, the holder, the uses and the next step. */
function ResultDetail({ answer }: { answer: ScanAnswer }) {
  const { scanner } = useTexts();
  if (answer.kind === 'decided') return <Decided result={answer.result} />;
  const texts = {
    unknown: scanner.unknownHelp,
    too_many: scanner.tooMany,
    key_refused: scanner.keyRefused,
    signed_out: scanner.signedOut,
    not_allowed: scanner.notAllowed,
  };
  return <span>{texts[answer.kind]}</span>;
}

function Decided({ result }: { result: ScanResult }) {
  const { scanner, outcomes } = useTexts();
  const mayLookUp = useMay('viewer');
  const { valid, status, reason, eventName, usesConsumed, usesAllowed, usesRemaining } = result;
  const named: Record<string, string> = outcomes;
  const holder = holderOf(result);
  const isUnlimited = result.kind === 'permanent';
  return (
    <>
      {!valid && <span>{named[reason ?? status] ?? status}</span>}
      {holder && (
        <strong>
          <Name>{holder}</Name>
        </strong>
      )}
      {eventName && (
        <span>
          <Name>{eventName}</Name>
        </span>
      )}
      {valid && usesRemaining !== undefined && !isUnlimited && (
        <span>{scanner.usesLeft(usesRemaining)}</span>
      )}
      {!valid && usesAllowed !== undefined && usesConsumed !== undefined && !isUnlimited && (
        <span>{scanner.usesTaken(usesConsumed, usesAllowed)}</span>
      )}
      <LastUse result={result} />
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
function LastUse({ result }: { result: ScanResult }) {
  const { scanner } = useTexts();
  const { status, ticketId, usesConsumed = 0, lastUse } = result;
  const isUnsaid = lastUse === undefined && status !== 'consumed' && usesConsumed > 0;
  // With the number of uses: after each use the answer is another.
  const input = { id: ticketId ?? '', uses: usesConsumed };
  const enabled = isUnsaid && ticketId !== undefined;
  const asked = useRead('GET /tickets/:id/last-use', input, { enabled });
  const answer = asked.isPlaceholderData ? undefined : asked.data;
  const found = isUnsaid ? answer?.lastUse : lastUse;
  if (!found) return null;
  return (
    <span>
      {scanner.lastUse} <TimeText at={found.at} />
      {found.gate !== null && (
        <>
          , <Name>{found.gate}</Name>
        </>
      )}
    </span>
  );
}

/** Tells who stands at the gate what to do, and to say to the guest. */
function NextStep({ result }: { result: ScanResult }) {
  const { nextSteps } = useTexts().scanner;
  const formats = useFormats();
  const name = (result.reason ?? result.status) as keyof typeof nextSteps;
  const step = nextSteps[name];
  if (!step) return null;
  const bound = { not_yet_valid: result.validFrom, expired: result.validUntil }[name as string];
  const text =
    typeof step === 'function' ? step(bound ? formats.dateTime(bound) : undefined) : step;
  return <span className="next-step">{text}</span>;
}

/** What was scanned in this tab before. */
export function ScanList({ scans }: { scans: readonly Scan[] }) {
  const texts = useTexts();
  if (scans.length === 0) return null;
  return (
    <section>
      <h2>{texts.scanner.last}</h2>
      <ul className="small-scans">
        {scans.map(({ number, at, answer }) => (
          <li key={number}>
            <TimeText at={at} only="time" />
            <ScannedHere answer={answer} />
            <StateBadge
              text={wordFor(answer, texts)}
              good={signalOf(answer) === 'unknown' ? undefined : signalOf(answer) === 'good'}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Who came, where the answer says it; else the end of the id. */
function ScannedHere({ answer }: Pick<Scan, 'answer'>) {
  if (answer.kind !== 'decided') return <span>–</span>;
  const holder = holderOf(answer.result);
  if (holder) return <Name>{holder}</Name>;
  return (
    <span className="mono">{answer.result.ticketId ? endOfId(answer.result.ticketId) : '–'}</span>
  );
}
