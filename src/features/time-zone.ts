import { isSameName } from '../core/folded-text.ts';
import type { Organisation } from '../core/records.ts';
import { checkTimeZone, chosenZone } from '../core/time-zone.ts';
import { forOption } from '../terminal/options.ts';

/** The help of `--time-zone`. */
export const ZONE_HELP =
  'time zone of times without one (default: that of the organisation, else of this machine)';

type Owned = Readonly<Record<'id' | 'name' | 'organisationId', string>>;

interface ZoneSource {
  list(kind: 'organisation'): Promise<readonly Organisation[]>;
  list(kind: 'event' | 'key'): Promise<readonly Owned[]>;
}

/** What a command is about, as far as it is known. */
interface About {
  /** What `--time-zone` says. */
  readonly asked?: string | undefined;
  /** Id or name. */
  readonly organisation?: string | null | undefined;
  /** Id or name. */
  readonly event?: string | undefined;
  readonly keyId?: string | undefined;
}

/**
 * The zone in which a command reads and shows times: the one asked for, else that of the organisation that it is about, else that
 * of this machine. A command that may be about several organisations is about none of them.
 * @throws TicketscanError `usage` for a name that is no time zone
 */
export async function zoneOf(
  store: ZoneSource,
  { asked, organisation, event, keyId }: About = {},
): Promise<string> {
  if (asked !== undefined) return forOption('--time-zone', () => checkTimeZone(asked));
  const organisations = await store.list('organisation');
  if (organisations.length === 1) return chosenZone(undefined, organisations[0] ?? {});
  const known = [
    ...(event === undefined ? [] : await store.list('event')),
    ...(keyId === undefined ? [] : await store.list('key')),
  ];
  const about = known.find(
    ({ id, name }) => id === keyId || id === event || isSameName(name, event ?? ''),
  );
  const owner = organisation ?? about?.organisationId;
  const own = organisations.find(({ id, name }) => id === owner || isSameName(name, owner ?? ''));
  return chosenZone(undefined, own ?? {});
}
