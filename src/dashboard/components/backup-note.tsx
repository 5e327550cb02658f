import { Alert, Code } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { MINUTE_MS } from '../../kit/durations.ts';
import type { Server } from '../api/types.ts';
import { useRead } from '../api/use-api.ts';
import { useFormats } from '../i18n/formats.ts';
import { useTexts } from '../i18n/language.tsx';

const REFRESH_MS = 10 * MINUTE_MS;

/** How old the last backup is, for whom the server tells it. @param overdue show it only as a warning, or only when it is none */
export function BackupNote({ overdue }: { overdue: boolean }) {
  const { overview } = useTexts();
  const formats = useFormats();
  const backup = useRead<Server>('/server', { everyMs: REFRESH_MS }).data?.backup;
  if (!backup || backup.overdue !== overdue) return null;
  const { at } = backup;
  const text =
    at === null ? overview.noBackup : overview.lastBackup(formats.ago(at), formats.dateTime(at));
  if (!overdue) return <p className="dimmed small">{text}</p>;
  return (
    <Alert mb="md" color="yellow" icon={<IconAlertTriangle aria-hidden />}>
      {text} {overview.makeBackup} <Code>ticketscan store backup</Code>
    </Alert>
  );
}
