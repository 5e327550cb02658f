import { Alert } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import type { Key } from '../api/types.ts';
import { useFormats } from '../i18n/formats.ts';
import { useTexts } from '../i18n/language.tsx';
import { Name } from './name.tsx';

/** Says that a key's scans will be refused before the month ends; nothing where the month lasts. */
export function MonthWarning({ usage, name }: { usage: Key['usage']; name?: string }) {
  const { keys } = useTexts();
  const formats = useFormats();
  if (usage.usedUpAt === null) return null;
  const isUsedUp = usage.requestsThisMonth >= usage.quota;
  return (
    <Alert mb="md" color={isUsedUp ? 'red' : 'yellow'} icon={<IconAlertTriangle aria-hidden />}>
      {name !== undefined && (
        <>
          <Name>{name}</Name>
          {': '}
        </>
      )}
      {isUsedUp ? keys.usedUp : keys.usedUpFrom(formats.dateTime(usage.usedUpAt))}
    </Alert>
  );
}
