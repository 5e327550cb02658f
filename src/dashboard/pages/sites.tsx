import { Checkbox, NativeSelect, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { SECOND_MS } from '../../kit/durations.ts';
import { type AnswerOf, BASE_PATH, type Site } from '../api/http.ts';
import { useEvents } from '../api/lists.ts';
import { useIsSite } from '../api/site-status.ts';
import { useSites } from '../api/sites.ts';
import { useChange, useMay, useRead } from '../api/use-api.tsx';
import {
  ChangeModal,
  Confirm,
  CreateButton,
  FormModal,
  Opened,
  RowConfirm,
  RowDialog,
  ShownOnce,
  useClose,
} from '../components/dialogs.tsx';
import { CopyField, useDraft } from '../components/fields.tsx';
import { Answered, Cards } from '../components/page.tsx';
import { Empty, PageHead } from '../components/page-head.tsx';
import { NameField } from '../components/people-text.tsx';
import { RowMenu } from '../components/row-menu.tsx';
import { Facts } from '../components/ticket-values.tsx';
import { Name, StateBadge } from '../components/values.tsx';
import { useDeskTexts } from '../i18n/desk-language.ts';
import { useFormats } from '../i18n/language.tsx';

const EVERY_MS = 5000;

type CreatedSite = AnswerOf<'POST /sites'>;

/** Servers at venues: their line, what is in force there, and the events that they decide. */
export function SitesPage() {
  const { navigation, sites } = useDeskTexts();
  const owner = useMay('owner');
  const isSite = useIsSite();
  const asked = useSites({ everyMs: EVERY_MS });
  // The token lives in this state only: closing the dialogue forgets it.
  const [created, setCreated] = useState<CreatedSite>();
  if (isSite) {
    return (
      <>
        <PageHead title={navigation.sites} />
        <Empty text={sites.isSite} />
      </>
    );
  }
  return (
    <>
      <PageHead title={navigation.sites}>
        {owner && (
          <CreateButton text={sites.create} dialog={<CreateSite onCreated={setCreated} />} />
        )}
      </PageHead>
      <p className="dimmed">{sites.help}</p>
      <Cards
        asked={asked}
        empty={owner ? sites.empty : sites.emptyForOthers}
        card={(site) => <SiteCard key={site.id} site={site} />}
      />
      <Opened value={() => setCreated(undefined)}>
        {created && <CreatedSiteModal created={created} />}
      </Opened>
    </>
  );
}

interface SiteProps {
  readonly site: Site;
}

type LineState = 'connected' | 'cut' | 'neverHeard' | 'retired';

function stateOf({ retiredAt, connectedSince, heardAt }: Site): LineState {
  if (retiredAt !== null) return 'retired';
  if (connectedSince !== null) return 'connected';
  return heardAt === null ? 'neverHeard' : 'cut';
}

/** What of a state is good, and what is not; a site that is new or retired is neither. */
const GOOD: Readonly<Partial<Record<LineState, boolean>>> = { connected: true, cut: false };

function SiteCard({ site }: SiteProps) {
  const { sites } = useDeskTexts();
  const owner = useMay('owner');
  const state = stateOf(site);
  return (
    <li className="panel">
      <div className="card-head">
        <h2>
          <Name>{site.name}</Name>
        </h2>
        <StateBadge text={sites.states[state]} good={GOOD[state]} />
      </div>
      <SiteFacts site={site} />
      <SiteEvents site={site} />
      {owner && <SiteActions site={site} />}
    </li>
  );
}

/** Clocks that differ by less than this count as equal. */
const CLOCKS_DIFFER_MS = 2 * SECOND_MS;

function SiteFacts({ site }: SiteProps) {
  const { sites } = useDeskTexts();
  const formats = useFormats();
  const { retiredAt, heardAt, connectedSince, clockAheadMs, recordsAsOf, waiting, withSecret } =
    site;
  const keysAsOf = recordsAsOf === null ? sites.notThere : formats.timeOrDay(recordsAsOf);
  return (
    <Facts
      facts={{
        [sites.retiredAt]: retiredAt === null ? undefined : formats.dateTime(retiredAt),
        [sites.line]: lineText({ connectedSince, heardAt }, sites, formats.minuteOrDay),
        [sites.clock]: clockText(clockAheadMs, sites, formats.number),
        [sites.recordsAsOf]: heardAt === null ? undefined : keysAsOf,
        [sites.waiting]: waiting === null ? undefined : formats.number(waiting),
        [sites.codes]: withSecret ? undefined : sites.onlyTs2,
      }}
    />
  );
}

type SiteTexts = ReturnType<typeof useDeskTexts>['sites'];

function lineText(
  { connectedSince, heardAt }: Pick<Site, 'connectedSince' | 'heardAt'>,
  { lineSince, notSince, states }: SiteTexts,
  shown: (time: string) => string,
): string {
  if (connectedSince !== null) return lineSince(shown(connectedSince));
  return heardAt === null ? states.neverHeard : notSince(shown(heardAt));
}

/** Only a difference that matters is said. */
function clockText(
  aheadMs: number | null,
  { ahead, behind }: SiteTexts,
  shown: (value: number) => string,
): string | undefined {
  if (aheadMs === null || Math.abs(aheadMs) < CLOCKS_DIFFER_MS) return undefined;
  const seconds = shown(Math.round(Math.abs(aheadMs) / SECOND_MS));
  return aheadMs > 0 ? ahead(seconds) : behind(seconds);
}

/** What nobody can bring back now. */
const WAITED_FOR: readonly Site['events'][number]['at'][] = ['returning', 'asking', 'claimed'];

/** The events whose home the site is, and how each stands. */
function SiteEvents({ site: { events } }: SiteProps) {
  const { sites } = useDeskTexts();
  const owner = useMay('owner');
  if (events.length === 0) return null;
  return (
    <section>
      <h3>{sites.events}</h3>
      <ul className="site-events">
        {events.map((event) => (
          <li key={event.id}>
            <span>
              <Link href={`/events/${event.id}`}>
                <Name>{event.name}</Name>
              </Link>{' '}
              <span className="dimmed">
                {event.isOfEarlierStore ? sites.earlierStore : sites[event.at]}
              </span>
            </span>
            {owner && !WAITED_FOR.includes(event.at) && (
              <BringBack id={event.id} name={event.name} />
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What is stale when an event was moved. */
const ALSO_MOVED = ['sites', 'audit-log'];

function BringBack({ id, name }: Pick<Site, 'id' | 'name'>) {
  const { sites } = useDeskTexts();
  return (
    <RowConfirm
      text={sites.back}
      of={name}
      title={sites.backTitle}
      route="POST /events/:id/move"
      input={{ id, to: 'centre' }}
      alsoStale={ALSO_MOVED}
    >
      {sites.backText}
    </RowConfirm>
  );
}

/** What an owner can do with a site. */
function SiteActions({ site }: SiteProps) {
  const { sites } = useDeskTexts();
  const { name, retiredAt, events } = site;
  const items = [
    ...(retiredAt === null ? [{ text: sites.retire, dialog: <RetireSite site={site} /> }] : []),
    ...(events.length > 0 ? [{ text: sites.free, dialog: <FreeSite site={site} /> }] : []),
  ];
  if (items.length === 0) return null;
  return (
    <div className="card-actions">
      {retiredAt === null && (
        <RowDialog
          text={sites.give}
          of={name}
          label={sites.giveTo(name)}
          dialog={<GiveEvent site={site} />}
        />
      )}
      <RowMenu of={name} items={items} />
    </div>
  );
}

/** Gives an event to a site that is decided here. */
function GiveEvent({ site: { id: to, name } }: SiteProps) {
  const { sites } = useDeskTexts();
  const asked = useEvents();
  const [chosen, setChosen] = useState<string>();
  const here = (asked.data?.items ?? []).filter(
    ({ home, archivedAt }) => home === undefined && archivedAt === null,
  );
  const id = chosen ?? here[0]?.id ?? '';
  return (
    <ChangeModal
      title={sites.giveTo(name)}
      submit={sites.give}
      route="POST /events/:id/move"
      input={{ id, to }}
      alsoStale={ALSO_MOVED}
      isBlocked={id === ''}
    >
      <Answered asked={asked}>
        {() =>
          here.length === 0 ? (
            <p>{sites.noneToGive}</p>
          ) : (
            <>
              <NativeSelect
                label={sites.event}
                data={here.map((event) => ({ value: event.id, label: event.name }))}
                value={id}
                onChange={(change) => setChosen(change.currentTarget.value)}
              />
              <p>{sites.moveText}</p>
            </>
          )
        }
      </Answered>
    </ChangeModal>
  );
}

function RetireSite({ site: { id, name, events } }: SiteProps) {
  const { sites } = useDeskTexts();
  return (
    <Confirm
      title={sites.retireTitle}
      submit={sites.retire}
      route="POST /sites/:id/retire"
      input={{ id }}
      alsoStale={['audit-log']}
    >
      {sites.retireText(name, events.length)}
    </Confirm>
  );
}

/** Says how many uses may be admitted twice, before anybody can free something. */
function FreeSite({ site: { id, name } }: SiteProps) {
  const { sites } = useDeskTexts();
  const formats = useFormats();
  const close = useClose();
  const risk = useRead('GET /sites/:id/freeing', { id });
  const change = useChange('POST /sites/:id/free', 'events', 'audit-log');
  return (
    <FormModal
      danger
      title={sites.freeTitle(name)}
      submit={sites.free}
      change={change}
      isBlocked={!risk.data}
      onSubmit={() => change.mutate({ id }, { onSuccess: close })}
    >
      <p>{sites.freeText}</p>
      <Answered asked={risk}>
        {({ events, stillAsked, atOthers, uses }) => (
          <>
            <p>
              <strong>{sites.freeRisk(formats.number(events), formats.number(uses))}</strong>
            </p>
            {stillAsked > 0 && <p>{sites.freeAsked(formats.number(stillAsked))}</p>}
            {atOthers > 0 && <p>{sites.freeAtOthers(formats.number(atOthers))}</p>}
          </>
        )}
      </Answered>
    </FormModal>
  );
}

/** A new site. Its token is shown once. */
function CreateSite({ onCreated }: { onCreated: (site: CreatedSite) => void }) {
  const { sites, general } = useDeskTexts();
  const { draft, setDraft, field } = useDraft({ name: '', withSecret: true });
  return (
    <ChangeModal
      title={sites.create}
      submit={general.create}
      route="POST /sites"
      input={draft}
      onDone={onCreated}
    >
      <NameField {...field('name')} />
      <Checkbox
        label={sites.withSecret}
        description={sites.withSecretHelp}
        checked={draft.withSecret}
        onChange={(change) => setDraft({ ...draft, withSecret: change.currentTarget.checked })}
      />
    </ChangeModal>
  );
}

/** The token of a new site, and how its server is started. */
function CreatedSiteModal({ created: { site, token } }: { created: CreatedSite }) {
  const { sites } = useDeskTexts();
  const { data: server } = useRead('GET /server');
  const centre = server?.baseUrl ?? `${location.origin}${BASE_PATH}`;
  return (
    <ShownOnce title={sites.createdTitle(site.name)} label={sites.token} value={token}>
      <Text>{sites.saveToken}</Text>
      <CopyField
        label={sites.command}
        value={`ticketscan serve --centre ${centre} --site-token file:site.token`}
      />
    </ShownOnce>
  );
}
