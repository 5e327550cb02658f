import { Alert } from '@mantine/core';
import { askedAgain } from '../../core/in-force.ts';
import { MINUTE_MS } from '../../kit/durations.ts';
import type { InForce } from '../api/http.ts';
import { useRead } from '../api/use-api.tsx';
import { useDeskTexts } from '../i18n/desk-language.ts';
import { useFormats } from '../i18n/language.tsx';

const AGAIN_MS = 1000;

/** Says where a change is in force that was just made, and goes on until it is everywhere. Nothing where no site needs it. */
export function InForceNotice({ inForce }: { inForce: InForce | undefined }) {
  return inForce ? <Followed inForce={inForce} /> : null;
}

function Followed({ inForce }: { inForce: InForce }) {
  const { inForce: texts } = useDeskTexts();
  const everyMs = ({ sites }: InForce) =>
    sites.some(({ since }) => since === null) ? AGAIN_MS : undefined;
  const asked = useRead('GET /in-force', askedAgain(inForce), { everyMs });
  const latest = asked.data && !asked.isPlaceholderData ? asked.data : inForce;
  const isEverywhere = latest.sites.every(({ since }) => since !== null);
  return (
    <Alert role="status" color={isEverywhere ? 'green' : 'yellow'} mb="md">
      {texts.title}: <WhereInForce inForce={latest} />
    </Alert>
  );
}

/** Where a change is in force: `here; Pool North since 14:02:11; Pool South not yet: no line since 13:40:05`. */
export function WhereInForce({ inForce: { sites } }: { inForce: InForce }) {
  const { inForce: texts } = useDeskTexts();
  const { timeOrDay: whenOf } = useFormats();
  const parts = sites.map(({ name, since, heardAt }) => {
    if (since !== null) return texts.since(name, whenOf(since));
    if (heardAt === null) return texts.never(name);
    const isHeard = Date.now() - Date.parse(heardAt) < MINUTE_MS;
    return (isHeard ? texts.awaited : texts.cut)(name, whenOf(heardAt));
  });
  return <span className="break">{[texts.here, ...parts].join('; ')}</span>;
}
