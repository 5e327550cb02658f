import { Alert } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { Link } from 'wouter';
import { DAY_MS } from '../../kit/durations.ts';
import type { Refusals } from '../api/types.ts';
import { useRead } from '../api/use-api.ts';
import { useFormats } from '../i18n/formats.ts';
import { useTexts } from '../i18n/language.tsx';

const REFRESH_MS = 10_000;
const RECENT_MS = DAY_MS;

/** Says that requests were refused because of a key or a limit within the last day; nothing where none were. */
export function RefusalHint() {
  const { refusals } = useTexts();
  const formats = useFormats();
  const { data } = useRead<Refusals>('/refusals', { everyMs: REFRESH_MS });
  const [latest] = data?.items ?? [];
  // Also none of the future: a clock was set back since.
  if (!latest || Math.abs(Date.now() - Date.parse(latest.lastAt)) > RECENT_MS) return null;
  return (
    <Alert mb="md" color="yellow" icon={<IconAlertTriangle aria-hidden />}>
      {refusals.hint(formats.dateTime(latest.lastAt), refusals.reasons[latest.reason])}{' '}
      <Link href="/log/refused">{refusals.show}</Link>
    </Alert>
  );
}
