import type { DocumentBound, WebhookEvent } from '../../core/administrative-records.ts';
import { WEBHOOK_EVENTS } from '../../core/administrative-records.ts';
import type { Clock } from '../../core/clock.ts';
import { TicketscanError } from '../../core/errors.ts';
import { DAY_MS } from '../../kit/durations.ts';
import { didYouMean } from '../../kit/nearest.ts';
import { BASE36, type RandomBytes, randomText } from '../../kit/random.ts';
import type { RecordStore } from '../../stores/record-store.ts';
import type { LogStore } from '../../stores/store.ts';
import { type Actor, auditEntryOf } from '../actor.ts';
import { newestSequence } from '../log/log-reader.ts';
import { checkedName } from '../record-checks.ts';
import { bodyOf, makeSecret, signedHeaders, testMessage } from './message.ts';
import { checkedUrl, type NetworkPolicy, type Send, type Sent } from './network.ts';
import type { Delivery, WebhookProgress, WebhookRecord } from './webhook-records.ts';
import { WEBHOOKS_PER_ORGANISATION_MAX, webhookDocument } from './webhook-records.ts';

const ID_CHARACTERS = 10;
/** How long an earlier secret signs in addition to the new one. */
const SECRET_OVERLAP_MS = DAY_MS;

const OF_ORGANISATION: DocumentBound = {
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

export interface NewWebhook {
  readonly name: string;
  readonly url: string;
  /** All of them when it is left out. */
  readonly events?: readonly WebhookEvent[] | undefined;
}

export interface WebhookChanges {
  readonly name?: string | undefined;
  readonly url?: string | undefined;
  readonly events?: readonly WebhookEvent[] | undefined;
  readonly active?: boolean | undefined;
  /** Makes another secret; the earlier one signs, too, for a day. */
  readonly newSecret?: boolean | undefined;
}

/** A webhook and its deliveries. */
export interface WebhookState {
  readonly webhook: WebhookRecord;
  /** Undefined before the first delivery. */
  readonly progress: WebhookProgress | undefined;
}

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
    const progress = new Map(
      (await store.list('webhook-progress')).map((document) => [
        document.id,
        webhookDocument<'webhook-progress'>(document).value,
      ]),
    );
    return (await store.list('webhook'))
      .map((document) => webhookDocument<'webhook'>(document).value)
      .filter((one) => organisationId === undefined || one.organisationId === organisationId)
      .sort((a, b) => a.createdAt - b.createdAt)
      .map((webhook) => ({ webhook, progress: progress.get(webhook.id) }));
  }

  /** @throws TicketscanError `not_found` */
  async find(organisationId: string | undefined, id: string): Promise<WebhookState> {
    const { webhook } = await this.#stored(organisationId, id);
    const found = await this.#deps.store.read('webhook-progress', id);
    return { webhook, progress: found && webhookDocument<'webhook-progress'>(found).value };
  }

  /**
   * Deliveries begin with what happens from now on. The secret is in the answer and nowhere else.
   * @throws TicketscanError `usage` for an address that is not allowed, `limit_reached`
   */
  async create(
    organisationId: string,
    { name, url, events = WEBHOOK_EVENTS }: NewWebhook,
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
      startAfterNotice: await this.#newestNotice(organisationId),
    };
    await store.write({
      documents: [{ kind: 'webhook', id: webhook.id, revision: 0, value: webhook }],
      bounds: [OF_ORGANISATION],
      audit: [
        this.#auditEntry('create', webhook, {
          host: new URL(webhook.url).host,
          events: webhook.events,
        }),
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
    const { webhook: before, revision } = await this.#stored(organisationId, id);
    const { name, url, events, active, newSecret } = changes;
    const secret = newSecret ? makeSecret(random) : undefined;
    const webhook: WebhookRecord = {
      ...before,
      ...(name !== undefined && { name: checkedName(name) }),
      ...(url !== undefined && { url: checkedUrl(url, this.#deps.isAllowed) }),
      ...(events && { events: checkedEvents(events) }),
      ...(active !== undefined && { active }),
      ...(active && { enabledAt: clock.now() }),
      ...(secret !== undefined && { secrets: withSecret(before, secret, clock.now()) }),
    };
    const details = {
      ...(name !== undefined && { name }),
      ...(url !== undefined && { host: new URL(webhook.url).host }),
      ...(events && { events }),
      ...(active !== undefined && { active }),
      ...(newSecret && { newSecret }),
    };
    const auditEntry = this.#auditEntry('edit', webhook, details);
    await store.write({
      documents: [{ kind: 'webhook', id, revision, value: webhook }],
      audit: [auditEntry],
    });
    return { state: await this.find(organisationId, id), secret };
  }

  /** @throws TicketscanError `not_found` */
  async delete(organisationId: string | undefined, id: string): Promise<WebhookRecord> {
    const { webhook } = await this.#stored(organisationId, id);
    const host = new URL(webhook.url).host;
    const { store } = this.#deps;
    await store.write({
      deleted: [
        { kind: 'webhook', id },
        { kind: 'webhook-progress', id },
      ],
      audit: [this.#auditEntry('delete', webhook, { host })],
    });
    return webhook;
  }

  /** Sends a `webhook.test` message at once, and returns the result. @throws TicketscanError `not_found` */
  async test(organisationId: string | undefined, id: string, send: Send): Promise<Delivery> {
    const { clock, random } = this.#deps;
    const { webhook } = await this.#stored(organisationId, id);
    const at = clock.now();
    const message = testMessage(id, randomText(BASE36, ID_CHARACTERS, random), at);
    const body = bodyOf(message);
    const headers = signedHeaders(message.id, body, webhook.secrets, at);
    const sent: Sent = await send(
      { url: webhook.url, headers, body },
      new AbortController().signal,
    );
    const { status, error = null, ms } = sent;
    return { id: message.id, type: message.type, at, attempt: 1, status, error, ms };
  }

  async #newestNotice(organisationId: string): Promise<number> {
    const found = await this.#deps.store.read('webhook-notices', organisationId);
    return found ? webhookDocument<'webhook-notices'>(found).value.newest : 0;
  }

  async #stored(organisationId: string | undefined, id: string) {
    const found = await this.#deps.store.read('webhook', id);
    const document = found && webhookDocument<'webhook'>(found);
    const isOwn = organisationId === undefined || document?.value.organisationId === organisationId;
    if (!document || !isOwn) throw new TicketscanError('not_found', `Unknown webhook ${id}.`);
    return { webhook: document.value, revision: document.revision };
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

/** An earlier secret that still signs stays; an older one ends. */
function withSecret({ secrets }: WebhookRecord, value: string, now: number) {
  const [current] = secrets;
  const earlier = current ? [{ value: current.value, until: now + SECRET_OVERLAP_MS }] : [];
  return [{ value, until: null }, ...earlier];
}

/** @throws TicketscanError `usage` */
function checkedEvents(events: readonly WebhookEvent[]): WebhookEvent[] {
  const chosen = WEBHOOK_EVENTS.filter((one) => events.includes(one));
  if (chosen.length > 0 && events.every((one) => WEBHOOK_EVENTS.includes(one))) return chosen;
  const unknown = events.find((one) => !WEBHOOK_EVENTS.includes(one));
  const wrong =
    unknown === undefined
      ? ''
      : `Unknown event "${unknown}".${didYouMean(unknown, WEBHOOK_EVENTS)} `;
  throw new TicketscanError(
    'usage',
    `${wrong}Choose at least one event of ${WEBHOOK_EVENTS.join(', ')}.`,
    { reason: 'webhook_events' },
  );
}
