import '../styles/desk-components.ts';
import { Route, Switch, useLocation } from 'wouter';
import { reaches } from '../../core/administrative-records.ts';
import { useSession } from '../api/use-api.tsx';
import { Empty, PageHead } from '../components/page-head.tsx';
import { partOf } from '../components/part.tsx';
import { useTexts } from '../i18n/language.tsx';
import { type Place, placeOf } from './navigation.tsx';

const Event = partOf(() => import('../pages/event.tsx').then((page) => page.EventPage));
const Ticket = partOf(() => import('../pages/ticket.tsx').then((page) => page.TicketPage));

/** The page of the current address, for those who may read. */
export function DeskPages() {
  const location = useLocation()[0].replace(/(?<=.)\/$/, '');
  const { role } = useSession().account;
  const place = placeOf(location);
  if (place && !reaches(role, place.from)) return <ForbiddenPage place={place} key={place.path} />;
  if (place?.Page && place.path === location) return <place.Page key={place.path} />;
  return (
    <Switch>
      <Route path="/tickets/:id">{({ id }) => <Ticket id={id} key={id} />}</Route>
      <Route path="/events/:id">{({ id }) => <Event id={id} key={id} />}</Route>
      <Route component={MissingPage} />
    </Switch>
  );
}

/** Tells that an address within the dashboard leads nowhere. */
function MissingPage() {
  const texts = useTexts();
  return (
    <>
      <PageHead title={texts.missing.title} />
      <Empty text={texts.missing.text} />
    </>
  );
}

/** Tells that only others may see the page of an address. */
function ForbiddenPage({ place: { text, from } }: { place: Place }) {
  const { navigation, missing, roles } = useTexts();
  return (
    <>
      <PageHead title={navigation[text]} />
      <Empty text={missing.forbidden(roles[from])} />
    </>
  );
}
