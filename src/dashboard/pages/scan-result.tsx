import { Button } from '@mantine/core';
import {
  IconCards,
  IconCircleCheck,
  IconCircleX,
  IconDoorExit,
  IconHandStop,
  IconHelpCircle,
  IconHourglass,
  IconUserQuestion,
  IconZoomCheck,
} from '@tabler/icons-react';
import { Link } from 'wouter';
import { queryOf } from '../api/http.ts';
import { useMay, useRead, useSession } from '../api/use-api.tsx';
import { endOfId, holderOf, Name, StateBadge, TimeText } from '../components/values.tsx';
import { useTexts } from '../i18n/language.tsx';
import {
  clearIn,
  cueOf,
  heldIn,
  type Look,
  labelOf,
  lookOf,
  mayRepeat,
  overtakenIn,
  pausingIn,
  type Scan,
  type ScanQueue,
  shownIn,
  waitingIn,
} from '../scanner/scan-queue.ts';
import type { ScanAnswer, ScanAttempt, ScanResult } from '../scanner/scan-requests.ts';
import type { Scans } from '../scanner/use-scans.ts';
import { HeldActions } from './scan-held.tsx';
import { NextStep } from './scan-next-step.tsx';
import { kindOf, wordFor } from './scan-word.ts';
import { Marks, Written } from './scan-written.tsx';

const ICONS: Record<Look, typeof IconCircleCheck | undefined> = {
  ready: undefined,
  good: IconCircleCheck,
  bad: IconCircleX,
  unknown: IconHelpCircle,
  pending: IconHourglass,
  not_taken: IconHandStop,
  question: IconUserQuestion,
  checked: IconZoomCheck,
  uncounted: IconDoorExit,
};
const ICON_SIZE = 72;

interface ResultPanelProps {
  readonly scanning: Scans;
  /** Whether several tickets are before the camera, or one that cannot be read. */
  readonly isCrowded: boolean;
}

/**
 * What the newest scan of this tab came to: colour, sign and word, to be seen from two metres away, and announced. Of the scans before
 * it nothing is left here.
 */
export function ResultPanel({ scanning, isCrowded }: ResultPanelProps) {
  const texts = useTexts();
  const { queue, retry, stopWaiting } = scanning;
  // Staff have no password: another QR code is what helps them.
  const isPhone = useSession().phone !== null;
  const scan = shownIn(queue);
  const look = lookOf(queue);
  const Icon = ICONS[look];
  // A scan that is asked about is shown first: its answer is what the guest waits for.
  if (isCrowded && look !== 'pending') return <Crowd scan={queue[0]} />;
  return (
    <div className={`result ${look}`}>
      <div role="status" aria-live="assertive" aria-atomic>
        {/* The number makes the same answer to the next ticket a new announcement. */}
        <div className="result-text" key={`${scan?.number} ${scan && wordFor(scan, texts)}`}>
          {Icon && <Icon size={ICON_SIZE} aria-hidden />}
          <strong className="result-word">
            {scan ? wordFor(scan, texts) : texts.scanner.ready}
          </strong>
          {scan ? (
            <>
              <Detail scan={scan} queue={queue} />
              <Asked scan={scan} />
            </>
          ) : (
            <>
              <span>{texts.scanner.readyHelp}</span>
              <Before scan={queue[0]} />
            </>
          )}
        </div>
      </div>
      <HeldActions scanning={scanning} />
      {pausingIn(queue) && <PanelButton text={texts.scanner.stopWaiting} onClick={stopWaiting} />}
      {scan && kindOf(scan) === 'signed_out' && !isPhone && <SignInAgain />}
      {scan && mayRepeat(scan) && (
        <PanelButton text={texts.general.retry} onClick={() => retry(scan.number)} />
      )}
    </div>
  );
}

interface OutcomeProps {
  readonly scan: Scan;
  readonly queue: ScanQueue;
  readonly retry: (number: number) => void;
}

/** What one scan came to, where no other is shown. */
export function OneOutcome({ scan, queue, retry }: OutcomeProps) {
  const texts = useTexts();
  const { state, attempt } = scan;
  const look = state.step === 'answered' ? cueOf(attempt, state.answer) : 'pending';
  return (
    <div className={`result one ${look}`}>
      <div role="status" aria-live="assertive" aria-atomic className="result-text">
        <strong className="result-word">{wordFor(scan, texts)}</strong>
        <Detail scan={scan} queue={queue} />
      </div>
      {mayRepeat(scan) && (
        <PanelButton text={texts.general.retry} onClick={() => retry(scan.number)} />
      )}
    </div>
  );
}

/** Takes the place of the answer, so that nothing is green while another ticket waits; what the last one came to stands below. */
function Crowd({ scan }: { scan: Scan | undefined }) {
  const texts = useTexts();
  return (
    <div className="result unknown crowd">
      <div role="status" aria-live="assertive" aria-atomic className="result-text">
        <IconCards size={ICON_SIZE} aria-hidden />
        <strong className="result-word">{texts.scanner.oneAlone}</strong>
        <span>{texts.scanner.oneAloneHelp}</span>
      </div>
      <Before scan={scan} />
    </div>
  );
}

/** What the last scan came to, when the screen is not about it. */
function Before({ scan }: { scan: Scan | undefined }) {
  const texts = useTexts();
  if (!scan) return null;
  return (
    <span className="result-of">
      {texts.scanner.before} <ScannedHere scan={scan} /> <strong>{wordFor(scan, texts)}</strong>{' '}
      <TimeText at={scan.at} only="time" />
    </span>
  );
}

/** Not announced. */
function PanelButton({ text, onClick }: { text: string; onClick: () => void }) {
  return (
    <Button variant="white" color="dark" onClick={onClick}>
      {text}
    </Button>
  );
}

/** Loads the page anew, which asks who is signed in. */
function SignInAgain() {
  const { scanner } = useTexts();
  return <PanelButton text={scanner.signInAgain} onClick={() => location.reload()} />;
}

/** Which code the answer belongs to, and when it was read. */
function Asked({ scan: { at, attempt } }: { scan: Scan }) {
  const { scanner } = useTexts();
  return (
    <span className="result-of">
      {scanner.readAt} <TimeText at={at} only="time" />{' '}
      <span className="mono">{labelOf(attempt)}</span>
    </span>
  );
}

/** The others are in the list below the stage. */
const OVERTAKEN_SHOWN = 4;

/** Answers that came when a newer code was there already: who it was stands beside them, and none is green. */
export function Overtaken({ queue }: { queue: ScanQueue }) {
  const texts = useTexts();
  const overtaken = overtakenIn(queue).slice(0, OVERTAKEN_SHOWN);
  return (
    <ul className="overtaken" aria-live="polite">
      {overtaken.map((scan) => (
        <li key={scan.number}>
          <ScannedHere scan={scan} /> <strong>{wordFor(scan, texts)}</strong>{' '}
          <TimeText at={scan.at} only="time" />
        </li>
      ))}
    </ul>
  );
}

/** What stands below the word. */
function Detail({ scan: { state, attempt }, queue }: { scan: Scan; queue: ScanQueue }) {
  const { scanner } = useTexts();
  if (state.step === 'answered') {
    return <ResultDetail answer={state.answer} attempt={attempt} />;
  }
  if (state.step === 'not_taken') return <span className="next-step">{scanner.notTakenHelp}</span>;
  const pausing = pausingIn(queue);
  return (
    <>
      {state.step === 'waiting' && <span>{scanner.inLine(waitingIn(queue))}</span>}
      {state.step === 'waiting' && heldIn(queue) && (
        <Link href="/scanner">{scanner.waitElsewhere}</Link>
      )}
      {pausing && <span>{scanner.waitHelp(pausing.seconds)}</span>}
    </>
  );
}

interface ResultDetailProps {
  readonly answer: ScanAnswer;
  readonly attempt: ScanAttempt;
}

/** The details of a result: the reason, the holder, the uses and the next step. */
function ResultDetail({ answer, attempt }: ResultDetailProps) {
  const { scanner } = useTexts();
  const isPhone = useSession().phone !== null;
  const mayLookUp = useMay('viewer');
  if (answer.kind === 'decided') {
    return (
      <>
        {cueOf(attempt, answer) === 'checked' && (
          <strong className="only-checked">{scanner.onlyChecked}</strong>
        )}
        <Decided result={answer.result} attempt={attempt} />
      </>
    );
  }
  if (answer.kind === 'too_few') return <span>{scanner.tooFew(answer.left)}</span>;
  if (answer.kind === 'unknown') {
    return (
      <>
        {answer.why && <span>{scanner.unknownBecause[answer.why]}</span>}
        <span>{scanner.unknownHelp}</span>
      </>
    );
  }
  const texts = {
    too_many: mayLookUp ? scanner.tooMany : scanner.tooManyForScanners,
    key_refused: scanner.keyRefused,
    signed_out: isPhone ? scanner.phoneRemoved : scanner.signedOut,
    not_allowed: scanner.notAllowed,
  };
  return <span>{texts[answer.kind]}</span>;
}

interface DecidedProps {
  readonly result: ScanResult;
  readonly attempt: ScanAttempt;
}

function Decided({ result, attempt }: DecidedProps) {
  const { scanner, outcomes } = useTexts();
  const mayLookUp = useMay('viewer');
  const { valid, status, reason, eventName, usesConsumed, usesAllowed, usesRemaining, usesTaken } =
    result;
  const named: Record<string, string> = outcomes;
  const holder = holderOf(result);
  const isUnlimited = result.kind === 'permanent';
  return (
    <>
      {!valid && <span>{named[reason ?? status] ?? named[status] ?? status}</span>}
      <Written result={result} />
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
      {usesTaken !== undefined && usesTaken > 1 && (
        <strong>{scanner.takenAtOnce(usesTaken)}</strong>
      )}
      {valid && usesRemaining !== undefined && !isUnlimited && (
        <span>{scanner.usesLeft(usesRemaining)}</span>
      )}
      {!valid && usesAllowed !== undefined && usesConsumed !== undefined && !isUnlimited && (
        <span>{scanner.usesTaken(usesConsumed, usesAllowed)}</span>
      )}
      <LastUse result={result} />
      {attempt.asks && valid ? (
        <span className="next-step">{scanner.questionStep}</span>
      ) : (
        <NextStep result={result} attempt={attempt} />
      )}
      {result.hint && <span>{result.hint}</span>}
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

/** What was scanned in this tab before. */
export function ScanList({ scanning: { queue, retry } }: { scanning: Scans }) {
  const texts = useTexts();
  const clear = clearIn(queue);
  if (queue.length === 0) return null;
  return (
    <section>
      <h2>{texts.scanner.last}</h2>
      <ul className="small-scans">
        {queue.map((scan, index) => (
          <li key={scan.number}>
            <TimeText at={scan.at} only="time" />
            <ScannedHere scan={scan} />
            <StateBadge text={wordFor(scan, texts)} good={toneOf(scan, clear)} />
            {(index > 0 || scan.isPassed) && mayRepeat(scan) && (
              <Button
                size="compact-xs"
                variant="default"
                aria-label={texts.general.act(texts.general.retry, labelOf(scan.attempt))}
                onClick={() => retry(scan.number)}
              >
                {texts.general.retry}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Nothing is green while a later code waits, or was not taken. */
function toneOf({ number, state, attempt }: Scan, clear: ReadonlySet<number>): boolean | undefined {
  if (state.step === 'not_taken') return false;
  if (state.step !== 'answered') return undefined;
  const signal = cueOf(attempt, state.answer);
  if (signal === 'bad') return false;
  return signal === 'good' && clear.has(number) ? true : undefined;
}

/** Who came, where the answer says it; else the end of the id, or what was read. */
function ScannedHere({ scan: { state, attempt } }: { scan: Scan }) {
  const result =
    state.step === 'answered' && state.answer.kind === 'decided' ? state.answer.result : undefined;
  const holder = result && holderOf(result);
  const text = result?.ticketId ? endOfId(result.ticketId) : labelOf(attempt);
  return (
    <>
      {holder ? <Name>{holder}</Name> : <span className="mono">{text}</span>}{' '}
      {result && <Marks result={result} />}
    </>
  );
}
