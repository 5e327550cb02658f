import { Badge, NativeSelect } from '@mantine/core';
import { useState } from 'react';
import type { Event } from '../api/http.ts';
import { useIsSite } from '../api/site-status.ts';
import { useSites } from '../api/sites.ts';
import { useMay } from '../api/use-api.tsx';
import { ChangeModal, RowDialog } from '../components/dialogs.tsx';
import { useDeskTexts } from '../i18n/desk-language.ts';

interface EventProps {
  readonly event: Event;
}

/** Where the scans of an event are decided, in words; undefined where that is here. */
export function useHomeText(): (event: Pick<Event, 'home'>) => string | undefined {
  const { sites } = useDeskTexts();
  return ({ home }) => {
    if (!home) return undefined;
    if (home.at === 'asking') return sites.asked;
    const name = home.site?.name ?? '';
    if (home.at === 'leaving') return sites.onTheWay(name);
    if (home.at === 'returning') return sites.comingBack(name);
    return home.site === null ? sites.atCentre : sites.atSite(name);
  };
}

/** Says of an event that it is decided elsewhere. */
export function HomeBadge({ event }: EventProps) {
  const text = useHomeText()(event);
  if (text === undefined) return null;
  return (
    <Badge color="yellow" variant="light" tt="none">
      {text}
    </Badge>
  );
}

const CENTRE = 'centre';

/** Lets owners choose where an event is decided, as soon as there is a site. */
export function MoveEvent({ event }: EventProps) {
  const { sites } = useDeskTexts();
  const owner = useMay('owner');
  const isSite = useIsSite();
  const { data } = useSites({ enabled: owner && !isSite });
  const targets = (data?.items ?? []).filter(({ retiredAt }) => retiredAt === null);
  if (isSite || (targets.length === 0 && !event.home)) return null;
  const isWaitedFor = event.home?.at === 'returning' || event.home?.at === 'asking';
  if (!owner || isWaitedFor) return null;
  return (
    <RowDialog
      text={sites.move}
      of={event.name}
      dialog={<ChooseHome event={event} targets={targets} />}
    />
  );
}

interface ChooseHomeProps extends EventProps {
  readonly targets: readonly { readonly id: string; readonly name: string }[];
}

/** Asks where to; an event at a site goes back to the centre first. */
function ChooseHome({ event: { id, name, home }, targets }: ChooseHomeProps) {
  const { sites } = useDeskTexts();
  const choices = home
    ? [{ value: CENTRE, label: sites.here }]
    : targets.map((site) => ({ value: site.id, label: site.name }));
  const [to, setTo] = useState(choices[0]?.value ?? CENTRE);
  return (
    <ChangeModal
      title={sites.moveTitle(name)}
      submit={home ? sites.back : sites.move}
      route="POST /events/:id/move"
      input={{ id, to }}
      alsoStale={['sites', 'audit-log']}
    >
      <NativeSelect
        label={sites.decidedAt}
        data={choices}
        value={to}
        onChange={(change) => setTo(change.currentTarget.value)}
      />
      <p>{home ? sites.backText : sites.moveText}</p>
    </ChangeModal>
  );
}
