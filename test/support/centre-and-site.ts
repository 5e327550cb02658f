import { expect, vi } from 'vitest';
import { CutLine } from '../../src/cli/commands/cut-line.ts';
import { AdminClient } from '../admin/support/client.ts';
import { TestClock } from './clock.ts';
import { PATIENTLY } from './patience.ts';
import { TestService, type TestServiceOptions } from './service.ts';

interface VenueOptions extends Pick<TestServiceOptions, 'store' | 'clock'> {
  readonly maxAgeMs?: number;
  /** False where the site verifies TS2 codes alone. */
  readonly withSecret?: boolean;
}

/** A seeded centre and a site of it, which is called Pool North: two servers with one clock, and a line that can be cut. */
export class CentreAndSite implements AsyncDisposable {
  readonly centre: TestService;
  readonly site: TestService;
  readonly clock: TestClock;
  readonly line: CutLine;
  readonly siteId: string;
  /** An owner at the centre. */
  readonly owner: AdminClient;

  private constructor(
    parts: Pick<CentreAndSite, 'centre' | 'site' | 'clock' | 'line' | 'siteId' | 'owner'>,
  ) {
    this.centre = parts.centre;
    this.site = parts.site;
    this.clock = parts.clock;
    this.line = parts.line;
    this.siteId = parts.siteId;
    this.owner = parts.owner;
  }

  static async start({
    store = 'sqlite',
    maxAgeMs,
    withSecret = true,
    clock = new TestClock(Date.now()),
  }: VenueOptions = {}): Promise<CentreAndSite> {
    const centre = await TestService.start({ store, clock });
    const owner = await AdminClient.signedIn(centre);
    const wanted = { name: 'Pool North', withSecret };
    const { site: made, token } = (await owner.post('/sites', wanted)).json;
    const line = await CutLine.to(new URL(centre.url));
    const settings = { url: line.url, token, maxAgeMs };
    const site = await TestService.start({ store: 'memory', clock, site: settings });
    return new CentreAndSite({ centre, site, clock, line, siteId: made.id, owner });
  }

  /** Moves the seeded event to the site or to `centre`, and waits until it is there. */
  async move(to: string): Promise<void> {
    const { main } = this.centre.seeded.events;
    const { status, text } = await this.owner.post(`/events/${main}/move`, { to });
    expect(status, text).toBe(200);
    await this.untilHome(to === 'centre' ? undefined : 'away');
  }

  /** Waits until the seeded event stands so. @param at undefined for decided at the centre */
  async untilHome(at: string | undefined): Promise<void> {
    await vi.waitFor(async () => expect((await this.home())?.at).toBe(at), PATIENTLY);
  }

  /** Where the centre says that the seeded event is decided. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at whatever came back
  async home(): Promise<any> {
    const { items } = (await this.owner.get('/events')).json;
    return items.find(({ id }: { id: string }) => id === this.centre.seeded.events.main).home;
  }

  /** A use of a ticket, taken at the site with a key of the centre. */
  scanAtSite(ticketCode: string) {
    const headers = { 'content-type': 'application/json', 'x-api-key': this.centre.key('rest') };
    return this.site.post('/scan/consume', JSON.stringify({ ticketCode }), headers);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.site[Symbol.asyncDispose]();
    await this.line.close();
    await this.centre[Symbol.asyncDispose]();
  }
}
