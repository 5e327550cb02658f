import { Button } from '@mantine/core';
import { IconHourglass } from '@tabler/icons-react';
import { useTexts } from '../../i18n/language.tsx';

const ICON_SIZE = 96;

/** Shown after a 429, until the ticket is asked about again. */
export function WaitPanel({ seconds, onStop }: { seconds: number; onStop: () => void }) {
  const { scanner } = useTexts();
  return (
    <div className="result pending">
      <div role="status" aria-live="assertive" aria-atomic>
        <div className="result-text">
          <IconHourglass size={ICON_SIZE} aria-hidden />
          <strong className="result-word">{scanner.wait}</strong>
          <span>{scanner.waitHelp(seconds)}</span>
        </div>
      </div>
      <Button variant="white" color="dark" onClick={onStop}>
        {scanner.stopWaiting}
      </Button>
    </div>
  );
}
