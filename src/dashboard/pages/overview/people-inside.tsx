import { Button } from '@mantine/core';
import { useState } from 'react';
import { useKeys } from '../../api/lists.ts';
import { useMay } from '../../api/session.tsx';
import type { Event, Page } from '../../api/types.ts';
import { useRead } from '../../api/use-api.ts';
import { Confirm } from '../../components/confirm.tsx';
import { Name } from '../../components/name.tsx';
import { TimeText } from '../../components/time-text.tsx';
import { useFormats } from '../../i18n/formats.ts';
import { useTexts } from '../../i18n/language.tsx';

const REFRESH_MS = 5000;

/** How many are inside each event. Without a reader that points out nobody is counted out, and nothing is shown. */
export function PeopleInside() {
  const { overview } = useTexts();
  const keys = useKeys().data?.items ?? [];
  const events = useRead<Page<Event>>('/events', { everyMs: REFRESH_MS }).data?.items ?? [];
  const hasExits = keys.some(({ readers = {} }) => Object.values(readers).includes('out'));
  const shown = events.filter(({ inside }) => hasExits || inside.exited > 0);
  if (shown.length === 0) return null;
  return (
    <section className="panel people-inside">
      <h2>{overview.inside}</h2>
      <ul className="gates">
        {shown.map((event) => (
          <EventInside key={event.id} event={event} />
        ))}
      </ul>
    </section>
  );
}

function EventInside({ event }: { event: Event }) {
  const { overview } = useTexts();
  const formats = useFormats();
  const operator = useMay('operator');
  const [asking, setAsking] = useState(false);
  const { people, entered, exited, resetAt } = event.inside;
  const [inside, ins, outs] = [people, entered, exited].map(formats.number);
  return (
    <li>
      <div className="gate-text">
        <Name>{event.name}</Name>
        <strong>{overview.insideOf(inside ?? '', ins ?? '', outs ?? '')}</strong>
      </div>
      <div className="gate-text dimmed small">
        <span>
          {overview.sinceReset} <TimeText at={resetAt} otherwise={overview.ever} />
        </span>
        {operator && (
          <Button
            size="compact-xs"
            variant="default"
            aria-label={overview.resetNamed(event.name)}
            onClick={() => setAsking(true)}
          >
            {overview.reset}
          </Button>
        )}
      </div>
      {asking && (
        <Confirm
          title={overview.resetTitle}
          submit={overview.reset}
          act={{ method: 'POST', path: `/events/${event.id}/reset-inside` }}
          changes={['events']}
          onClose={() => setAsking(false)}
        >
          {overview.resetText(event.name)}
        </Confirm>
      )}
    </li>
  );
}
