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

/** The subject of a command, as far as it is known. */
interface About {
  /** The value of `--time-zone`. */
  readonly asked?: string | undefined;
  /** Id or name. */
  readonly organisation?: string | null | undefined;
  /** Id or name. */
  readonly event?: string | undefined;
  readonly keyId?: string | undefined;
}

/**
 * The zone in which a command reads and shows times: the zone of `--time-zone`, else that of the organisation that the command is about,
 * else that of this machine. A command about several organisations uses none of their zones.
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
