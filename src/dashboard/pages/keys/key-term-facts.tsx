import { Alert } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { readersText } from '../../../core/direction.ts';
import type { Key } from '../../api/types.ts';
import { TimeText } from '../../components/time-text.tsx';
import { useFormats } from '../../i18n/formats.ts';
import { useTexts } from '../../i18n/language.tsx';

/** When a key was used last, until when its values hold, and its readers. */
export function KeyTermFacts({ apiKey }: { apiKey: Key }) {
  const { keys } = useTexts();
  const { lastUsedAt, expiresAt, previousUntil, onExit = 'consume' } = apiKey;
  const overlaps = previousUntil !== undefined && Date.parse(previousUntil) > Date.now();
  return (
    <>
      <dt>{keys.lastUsed}</dt>
      <dd>
        <TimeText at={lastUsedAt} />
      </dd>
      {expiresAt && (
        <>
          <dt>{keys.expires}</dt>
          <dd>
            <TimeText at={expiresAt} />
          </dd>
        </>
      )}
      {overlaps && (
        <>
          <dt>{keys.previousUntil}</dt>
          <dd>
            <TimeText at={previousUntil} />
          </dd>
        </>
      )}
      {apiKey.readers && (
        <>
          <dt>{keys.readers}</dt>
          <dd>
            <code>{readersText(apiKey)}</code>
          </dd>
          <dt>{keys.onExit}</dt>
          <dd>{keys.exitRules[onExit]}</dd>
        </>
      )}
    </>
  );
}

/** Shown two weeks before. */
export function ExpiryWarning({ apiKey }: { apiKey: Key }) {
  const { keys } = useTexts();
  const formats = useFormats();
  const { expiresSoon, expiresAt } = apiKey;
  if (!expiresSoon || !expiresAt) return null;
  return (
    <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />}>
      {keys.expiresSoon(formats.dateTime(expiresAt))}
    </Alert>
  );
}
