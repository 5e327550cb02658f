import * as z from 'zod';
import type { AdministrativeBound, WebhookEvent } from '../../core/administrative-records.ts';
import { WEBHOOK_EVENTS } from '../../core/administrative-records.ts';
import { checkedName } from '../../core/checked-name.ts';
import type { Clock } from '../../core/clock.ts';
import { refuse, TicketscanError, undefinedOnConflict } from '../../core/errors.ts';
import { DAY_MS } from '../../kit/durations.ts';
import { didYouMean } from '../../kit/nearest.ts';
import { BASE36, type RandomBytes, randomText } from '../../kit/random.ts';
import { Name } from '../../operations/fields.ts';
import type { RecordStore } from '../../stores/record-store.ts';
import type { LogStore } from '../../stores/store.ts';
import { type Actor, auditEntryOf } from '../actor.ts';
import { newestSequence } from '../log/log-reader.ts';
import { ofOrganisation, type Stored } from '../typed-records.ts';
import { attempt, makeSecret, testMessage } from './message.ts';
import { checkedUrl, type NetworkPolicy, type Send } from './network.ts';
import type { WebhookDelivery, WebhookProgress, WebhookRecord } from './webhook-records.ts';
import {
  listStored,
  readStored,
  WEBHOOKS_PER_ORGANISATION_MAX,
  type WebhookSecret,
  writeStored,
} from './webhook-records.ts';

const ID_CHARACTERS = 10;
/** How long an earlier secret signs in addition to the new one. */
const SECRET_OVERLAP_MS = DAY_MS;
/** Every message has the signature of each. */
const SECRETS_MAX = 5;

const OF_ORGANISATION: AdministrativeBound = {
  member: 'organisationId',
  countMax: WEBHOOKS_PER_ORGANISATION_MAX,
  refusal: `An organisation has at most ${WEBHOOKS_PER_ORGANISATION_MAX} webhooks. Delete one first.`,
};

export interface WebhooksDeps {
  readonly store: Pick<RecordStore, 'read' | 'list' | 'write'> & Pick<LogStore, 'searchLog'>;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly isAllowed: NetworkPolicy;
}

const Events = z.array(z.enum(WEBHOOK_EVENTS)).min(1).max(WEBHOOK_EVENTS.length);
const Url = z.string().min(1).max(2000).meta({ description: 'an address with HTTPS' });

export const NewWebhook = z.object({ name: Name, url: Url, events: Events.optional() });
export type NewWebhook = z.output<typeof NewWebhook>;

export const WebhookChanges = z.strictObject({
  name: Name.optional(),
  url: Url.optional(),
  events: Events.optional(),
  active: z.boolean().optional(),
  /** Makes another secret; the earlier one signs beside it for 24 hours. */
  newSecret: z.boolean().optional(),
});
export type WebhookChanges = z.output<typeof WebhookChanges>;

/** A webhook and its deliveries. */
export interface WebhookState {
  readonly webhook: WebhookRecord;
  /** Undefined before the first delivery. */
  readonly progress: WebhookProgress | undefined;
}

const TESTS_KEPT = 10;
/** How often the progress is written again, because somebody may edit the webhook at the same moment. */
const KEEP_TRIES_MAX = 3;

/** The webhooks of organisations. An id of another organisation is unknown. */
export class Webhooks {
  readonly #deps: WebhooksDeps;
  readonly #actor: Actor;

  constructor(deps: WebhooksDeps, actor: Actor) {
    this.#deps = deps;
    this.#actor = actor;
  }

  /** Oldest first. @param organisationId undefined: of all organisations */
  async list(organisationId: string | undefined): Promise<WebhookState[]> {
    const { store } = this.#deps;
    const webhooks = (await listStored(store, 'webhook', ofOrganisation(organisationId)))
      .map(({ value }) => value)
      .sort((a, b) => a.createdAt - b.createdAt);
    return Promise.all(
      webhooks.map(async (webhook) => {
        const progress = await readStored(store, 'webhook-progress', webhook.id);
        return { webhook, progress: progress?.value };
      }),
    );
  }

  /** @throws TicketscanError `not_found` */
  async find(organisationId: string | undefined, id: string): Promise<WebhookState> {
    const { value: webhook } = await this.#stored(organisationId, id);
    const progress = await readStored(this.#deps.store, 'webhook-progress', id);
    return { webhook, progress: progress?.value };
  }

  /**
   * Deliveries begin with what happens from now on. The secret is in the answer and nowhere else.
   * @throws TicketscanError `usage` for an address that is not allowed, `limit_reached`
   */
  async create(
    organisationId: string,
    { name, url, events = [...WEBHOOK_EVENTS] }: NewWebhook,
  ): Promise<{ webhook: WebhookRecord; secret: string }> {
    const { store, clock, random, isAllowed } = this.#deps;
    const secret = makeSecret(random);
    const webhook: WebhookRecord = {
      id: `wh_${randomText(BASE36, ID_CHARACTERS, random)}`,
      organisationId,
      name: checkedName(name),
      url: checkedUrl(url, isAllowed),
      events: checkedEvents(events),
      active: true,
      secrets: [{ value: secret, until: null }],
      createdAt: clock.now(),
      enabledAt: clock.now(),
      startAfter: await newestSequence(store),
      startAfterNotice:
        (await readStored(store, 'webhook-notices', organisationId))?.value.newest ?? 0,
    };
    await store.write({
      administrative: [{ kind: 'webhook', id: webhook.id, revision: 0, value: webhook }],
      bounds: [OF_ORGANISATION],
      audit: [
        this.#auditEntry('create', webhook, { host: hostOf(webhook), events: webhook.events }),
      ],
    });
    return { webhook, secret };
  }

  /** Applies from the next message. @throws TicketscanError `not_found`, `usage`, `conflict` */
  async edit(
    organisationId: string | undefined,
    id: string,
    changes: WebhookChanges,
  ): Promise<{ state: WebhookState; secret: string | undefined }> {
    const { store, clock, random } = this.#deps;
    const { value: before, revision } = await this.#stored(organisationId, id);
    const { name, url, events, active, newSecret } = changes;
    const secret = newSecret ? makeSecret(random) : undefined;
    const webhook: WebhookRecord = {
      ...before,
      ...(name !== undefined && { name: checkedName(name) }),
      ...(url !== undefined && { url: checkedUrl(url, this.#deps.isAllowed) }),
      ...(events && { events: checkedEvents(events) }),
      ...(active !== undefined && { active }),
      ...(active && { enabledAt: await this.#enabledNow(id) }),
      ...(secret !== undefined && { secrets: withSecret(before, secret, clock.now()) }),
    };
    const details = {
      ...(name !== undefined && { name }),
      ...(url !== undefined && { host: hostOf(webhook) }),
      ...(events && { events }),
      ...(active !== undefined && { active }),
      ...(newSecret && { newSecret }),
    };
    await store.write({
      administrative: [{ kind: 'webhook', id, revision, value: webhook }],
      audit: [this.#auditEntry('edit', webhook, details)],
    });
    return { state: await this.find(organisationId, id), secret };
  }

  /** @throws TicketscanError `not_found` */
  async delete(organisationId: string | undefined, id: string): Promise<void> {
    const { value: webhook } = await this.#stored(organisationId, id);
    await this.#deps.store.write({
      deleted: [
        { kind: 'webhook', id },
        { kind: 'webhook-progress', id },
      ],
      audit: [this.#auditEntry('delete', webhook, { host: hostOf(webhook) })],
    });
  }

  /** Sends a `webhook.test` message at once, keeps the result, and returns it. @throws TicketscanError `not_found` */
  async test(organisationId: string | undefined, id: string, send: Send): Promise<WebhookDelivery> {
    const { clock, random } = this.#deps;
    const { value: webhook } = await this.#stored(organisationId, id);
    const at = clock.now();
    const message = testMessage(id, randomText(BASE36, ID_CHARACTERS, random), at);
    const { delivery } = await attempt(message, webhook, { at, number: 1, send });
    await this.#keepTest(id, delivery);
    return delivery;
  }

  /** Writes no audit entry: nothing was changed that people set. Nothing is kept of a webhook that was deleted meanwhile. */
  async #keepTest(id: string, delivery: WebhookDelivery): Promise<void> {
    for (let tries = 0; tries < KEEP_TRIES_MAX; tries += 1) {
      const found = await readStored(this.#deps.store, 'webhook', id);
      if (!found) return;
      const tests = [delivery, ...(found.value.tests ?? [])].slice(0, TESTS_KEPT);
      const changed = { revision: found.revision, value: { ...found.value, tests } };
      const writing = writeStored(this.#deps.store, 'webhook', id, changed);
      if (await writing.catch(undefinedOnConflict)) return;
    }
  }

  /** A time after the webhook was switched off, also where the clock was ahead then. */
  async #enabledNow(id: string): Promise<number> {
    const { store, clock } = this.#deps;
    const progress = await readStored(store, 'webhook-progress', id);
    return Math.max(clock.now(), (progress?.value.switchedOff?.at ?? 0) + 1);
  }

  async #stored(organisationId: string | undefined, id: string): Promise<Stored<WebhookRecord>> {
    const found = await readStored(this.#deps.store, 'webhook', id);
    const isOwn = organisationId === undefined || found?.value.organisationId === organisationId;
    if (!found || !isOwn) throw new TicketscanError('not_found', `Unknown webhook ${id}.`);
    return found;
  }

  #auditEntry(what: string, webhook: WebhookRecord, details: object) {
    const { id, organisationId, name } = webhook;
    return auditEntryOf(this.#actor, this.#deps.clock, {
      act: `webhook.${what}`,
      subject: id,
      organisationId,
      details: { name, ...details },
    });
  }
}

function hostOf({ url }: WebhookRecord): string {
  return new URL(url).host;
}

/**
 * Adds a secret. Earlier ones sign until their time: the receiver may have any of them, and the newest may never have reached it.
 * @throws TicketscanError `conflict`
 */
function withSecret({ secrets }: WebhookRecord, value: string, now: number): WebhookSecret[] {
  const signing = secrets.filter(({ until }) => until === null || until > now);
  if (signing.length >= SECRETS_MAX) throw refuse('webhook_secrets', { max: SECRETS_MAX });
  const earlier = signing.map((one) => ({ ...one, until: one.until ?? now + SECRET_OVERLAP_MS }));
  return [{ value, until: null }, ...earlier];
}

/** @throws TicketscanError `usage` */
function checkedEvents(events: readonly WebhookEvent[]): WebhookEvent[] {
  const chosen = WEBHOOK_EVENTS.filter((one) => events.includes(one));
  if (chosen.length > 0 && events.every((one) => WEBHOOK_EVENTS.includes(one))) return chosen;
  const unknown = events.find((one) => !WEBHOOK_EVENTS.includes(one));
  const of = unknown && `Unknown event "${unknown}"`;
  const meant = unknown ? didYouMean(unknown, WEBHOOK_EVENTS) : '';
  const detail = `${meant} Events are ${WEBHOOK_EVENTS.join(', ')}.`.trim();
  throw refuse('webhook_events', {}, { of, detail });
}
