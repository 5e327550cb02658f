import { NativeSelect, SegmentedControl, Switch } from '@mantine/core';
import { useState } from 'react';
import { USES_AT_ONCE_MAX } from '../../core/limits.ts';
import { useTexts } from '../i18n/language.tsx';
import {
  keptHold,
  keptMode,
  keptSound,
  SCAN_MODES,
  type ScanMode,
} from '../scanner/tab-settings.ts';
import type { Filming } from '../scanner/use-camera.ts';

const USES_CHOICES = Array.from({ length: USES_AT_ONCE_MAX }, (_, index) => String(index + 1));

/** What this device does on a scan. */
export function useDeskChoices(isPhone: boolean) {
  const [mode, setMode] = useKept<ScanMode>(() => keptMode(isPhone));
  const [sound, setSound] = useKept<boolean>(() => keptSound(isPhone));
  const [hold, setHold] = useKept<boolean>(() => keptHold(isPhone));
  const [uses, setUses] = useState(1);
  return { mode, setMode, sound, setSound, hold, setHold, uses, setUses };
}

interface DeskChoicesProps {
  readonly choices: ReturnType<typeof useDeskChoices>;
  readonly filming: Filming;
  /** Whether it scans as an account: scans with a key take one use, and tell nothing of a mark. */
  readonly isAccount: boolean;
}

/** The choices of a device, below the answer; on a phone behind a button. */
export function DeskChoices({ choices, filming, isAccount }: DeskChoicesProps) {
  const { scanner } = useTexts();
  const { mode, setMode, sound, setSound, hold, setHold, uses, setUses } = choices;
  const modes = SCAN_MODES.filter((one) => isAccount || one !== 'out');
  return (
    <>
      <SegmentedControl
        className="mode-choice"
        aria-label={scanner.mode}
        value={mode}
        onChange={(value) => setMode(value as ScanMode)}
        data={modes.map((value) => ({ value, label: scanner[value] }))}
      />
      {isAccount && mode === 'consume' && (
        <NativeSelect
          label={scanner.usesOfNext}
          value={String(uses)}
          data={USES_CHOICES}
          onChange={(change) => setUses(Number(change.currentTarget.value))}
        />
      )}
      <Switch
        label={scanner.sound}
        checked={sound}
        onChange={(change) => setSound(change.currentTarget.checked)}
      />
      {isAccount && (
        <Switch
          label={scanner.hold}
          checked={hold}
          onChange={(change) => setHold(change.currentTarget.checked)}
        />
      )}
      <CameraChoice filming={filming} />
      {filming.setLight && (
        <Switch
          label={scanner.light}
          onChange={(change) =>
            void filming.setLight?.(change.currentTarget.checked).catch(() => undefined)
          }
        />
      )}
    </>
  );
}

/** A choice of this tab that outlives a reload. */
function useKept<Value>(open: () => { read: () => Value; write: (value: Value) => void }) {
  const [kept] = useState(open);
  const [value, setValue] = useState(kept.read);
  const choose = (chosen: Value) => {
    kept.write(chosen);
    setValue(chosen);
  };
  return [value, choose] as const;
}

/** Which camera films, where there are several. */
function CameraChoice({ filming }: { filming: Filming }) {
  const { scanner } = useTexts();
  const { cameras, cameraId, choose } = filming;
  if (cameras.length < 2) return null;
  const choices = cameras.map(({ id, label }, index) => ({
    value: id,
    label: label || scanner.cameraNumber(index + 1),
  }));
  // None films, and the one that was chosen is gone.
  const isUnknown = !cameras.some(({ id }) => id === cameraId);
  return (
    <NativeSelect
      label={scanner.camera}
      value={isUnknown ? '' : cameraId}
      data={isUnknown ? [{ value: '', label: '' }, ...choices] : choices}
      onChange={({ currentTarget: { value } }) => {
        const chosen = cameras.find(({ id }) => id === value);
        if (chosen) choose(chosen);
      }}
    />
  );
}
