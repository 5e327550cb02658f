import { SegmentedControl, Switch } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '../../i18n/language.tsx';
import type { ScanAttempt } from '../../scanner/scan-ticket.ts';
import { useKeyboardWedge } from '../../scanner/use-keyboard-wedge.ts';
import { useScans } from '../../scanner/use-scans.ts';
import { CameraView } from './camera-view.tsx';
import { CodeEntry } from './code-entry.tsx';
import { ResultPanel } from './result-panel.tsx';
import { ScanList } from './scan-list.tsx';
import { WaitPanel } from './wait-panel.tsx';

/** Where tickets are scanned: the answer above all else. @param apiKey null scans as the account that is signed in */
export function ScanDesk({ apiKey }: { apiKey: string | null }) {
  const { scanner } = useTexts();
  const [action, setAction] = useState<ScanAttempt['action']>('consume');
  const [sound, setSound] = useState(true);
  const scanning = useScans({ key: apiKey, action, sound });
  const { scans, scan } = scanning;
  useKeyboardWedge(scan);
  return (
    <div className="desk">
      {scanning.waitSeconds === undefined ? (
        <ResultPanel scan={scans[0]} pending={scanning.pending} onRetry={scanning.retry} />
      ) : (
        <WaitPanel seconds={scanning.waitSeconds} onStop={scanning.stopWaiting} />
      )}
      <div className="desk-tools">
        <SegmentedControl
          aria-label={scanner.mode}
          value={action}
          onChange={(value) => setAction(value as ScanAttempt['action'])}
          data={[
            { value: 'consume', label: scanner.consume },
            { value: 'validate', label: scanner.validate },
          ]}
        />
        <Switch
          label={scanner.sound}
          checked={sound}
          onChange={(change) => setSound(change.currentTarget.checked)}
        />
      </div>
      <CodeEntry onCode={scan} />
      <CameraView onCode={scan} />
      <ScanList scans={scans} />
    </div>
  );
}
