import { describe, expect, test, vi } from 'vitest';
import { homeOfEvent } from '../../src/features/sites/site-records.ts';
import { PATIENTLY } from '../support/patience.ts';
import { givenToNorth, TestCentre } from './support/centre-and-sites.ts';

describe.each(['sqlite', 'postgres'] as const)(
  'a restored centre with several sites, on %s',
  (engine) => {
    test('tells the site that goes on with an event what is changed, while another one is not heard', async () => {
      await using centre = await TestCentre.start(engine);
      const { north, south, event, ticket, atSouth } = await givenToNorth(centre);
      await atSouth.close();
      const cancelled = await centre.mint(event, 3);
      await vi.waitFor(
        async () => expect(await north.store.findTicket(cancelled)).toBeDefined(),
        PATIENTLY,
      );

      await centre.store.forgetSite();
      await centre.cancel(cancelled);
      await vi.waitFor(
        async () => expect(await north.consume(cancelled)).toBe('ticket_cancelled'),
        PATIENTLY,
      );
      const { home } = await homeOfEvent(centre.store, event);
      expect(home).toMatchObject({ at: 'asking', claim: { epoch: 1 } });
      expect(await north.consume(ticket)).toBe('consumed');
      expect(await centre.consume(ticket)).toBe('elsewhere');
      const freed = await centre.rules.free(south.record);
      expect(freed.find((one) => one.event.id === event)?.home.at).toBe('away');
      expect(await centre.consume(ticket)).toBe('elsewhere');
      expect(await north.consume(ticket)).toBe('consumed');
    });

    test('asks the others too for an event that was at a site which is retired', async () => {
      await using centre = await TestCentre.start(engine);
      const { north, south, event, ticket, atNorth, atSouth } = await givenToNorth(centre);
      await atNorth.close();
      await atSouth.close();
      await centre.rules.retire(north.record);

      await centre.store.forgetSite();
      const home = await homeOfEvent(centre.store, event);
      expect(home.home).toMatchObject({ at: 'asking' });
      await centre.rules.free(north.record);
      expect(await centre.consume(ticket)).toBe('elsewhere');
      await south.follow();
      await vi.waitFor(
        async () => expect(await centre.consume(ticket)).toBe('consumed'),
        PATIENTLY,
      );
    });
  },
);
