import { Code } from '@mantine/core';
import { Link } from 'wouter';
import { DAY_MS, MINUTE_MS } from '../../kit/durations.ts';
import type { Key } from '../api/types.ts';
import { useRead } from '../api/use-api.ts';
import { useFormats } from '../i18n/formats.ts';
import { useTexts } from '../i18n/language.tsx';
import { Warning } from './states.tsx';
import { Name } from './values.tsx';

/** Says that a key's scans will be refused before the month ends; nothing where the month lasts. */
export function MonthWarning({ usage, name }: { usage: Key['usage']; name?: string }) {
  const { keys } = useTexts();
  const formats = useFormats();
  if (usage.usedUpAt === null) return null;
  const isUsedUp = usage.requestsThisMonth >= usage.quota;
  return (
    <Warning mb="md" color={isUsedUp ? 'red' : 'yellow'}>
      {name !== undefined && (
        <>
          <Name>{name}</Name>
          {': '}
        </>
      )}
      {isUsedUp ? keys.usedUp : keys.usedUpFrom(formats.dateTime(usage.usedUpAt))}
    </Warning>
  );
}

const REFUSALS_EVERY_MS = 10_000;

/** Says that requests were refused because of a key or a limit within the last day; nothing where none were. */
export function RefusalHint() {
  const { refusals } = useTexts();
  const formats = useFormats();
  const { data } = useRead('GET /refusals', {}, { everyMs: REFUSALS_EVERY_MS });
  const [latest] = data?.items ?? [];
  // Also none of the future: a clock was set back since.
  if (!latest || Math.abs(Date.now() - Date.parse(latest.lastAt)) > DAY_MS) return null;
  return (
    <Warning mb="md">
      {refusals.hint(formats.dateTime(latest.lastAt), refusals.reasons[latest.reason])}{' '}
      <Link href="/log/refused">{refusals.show}</Link>
    </Warning>
  );
}

const BACKUP_EVERY_MS = 10 * MINUTE_MS;

/** How old the last backup is, for whom the server tells it. @param overdue show it only as a warning, or only when it is none */
export function BackupNote({ overdue }: { overdue: boolean }) {
  const { overview } = useTexts();
  const formats = useFormats();
  const backup = useRead('GET /server', {}, { everyMs: BACKUP_EVERY_MS }).data?.backup;
  if (!backup || backup.overdue !== overdue) return null;
  const { at } = backup;
  const text =
    at === null ? overview.noBackup : overview.lastBackup(formats.ago(at), formats.dateTime(at));
  if (!overdue) return <p className="dimmed small">{text}</p>;
  return (
    <Warning mb="md">
      {text} {overview.makeBackup} <Code>ticketscan store backup</Code>
    </Warning>
  );
}
