import { Button } from '@mantine/core';
import { useState } from 'react';
import { DeliberateButton, UsesChoice } from '../components/deliberate.tsx';
import { useTexts } from '../i18n/language.tsx';
import {
  heldIn,
  isQuestion,
  isRefusedBehindHeld,
  type Scan,
  waitingIn,
} from '../scanner/scan-queue.ts';
import type { ScanResult } from '../scanner/scan-requests.ts';
import type { Scans } from '../scanner/use-scans.ts';

/** What a person answers before the next scan: whether a use is taken, or that a mark was seen. */
export function HeldActions({ scanning }: { scanning: Scans }) {
  const held = heldIn(scanning.queue);
  if (held?.state.step !== 'answered' || held.state.answer.kind !== 'decided') return null;
  const { result } = held.state.answer;
  return (
    <div className="held">
      {isQuestion(held) ? (
        <Question key={held.number} scan={held} result={result} scanning={scanning} />
      ) : (
        <Seen release={scanning.release} />
      )}
      <Behind count={waitingIn(scanning.queue)} isRefused={isRefusedBehindHeld(scanning.queue)} />
    </div>
  );
}

interface QuestionProps {
  readonly scan: Scan;
  readonly result: ScanResult;
  readonly scanning: Scans;
}

function Question({ scan, result, scanning }: QuestionProps) {
  const { scanner } = useTexts();
  const [uses, setUses] = useState(1);
  return (
    <div className="held-actions">
      <UsesChoice left={result.usesRemaining ?? 1} uses={uses} onChange={setUses} />
      <DeliberateButton size="lg" onPress={() => scanning.letIn(scan, uses)}>
        {scanner.letIn}
      </DeliberateButton>
      <Button size="lg" variant="default" onClick={scanning.release}>
        {scanner.notNow}
      </Button>
    </div>
  );
}

function Seen({ release }: { release: () => void }) {
  const { scanner } = useTexts();
  return (
    <DeliberateButton size="lg" variant="default" onPress={release}>
      {scanner.seen}
    </DeliberateButton>
  );
}

interface BehindProps {
  readonly count: number;
  readonly isRefused: boolean;
}

/** How many tickets wait for the tap, and whether there were too many. */
function Behind({ count, isRefused }: BehindProps) {
  const { scanner } = useTexts();
  return (
    <span role="status" className="held-behind">
      {count > 0 && scanner.waitForTap(count)} {isRefused && <strong>{scanner.tooManyWait}</strong>}
    </span>
  );
}
