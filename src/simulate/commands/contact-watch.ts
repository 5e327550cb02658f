import type { DeviceEvent } from '../device-events.ts';

/** How the contact with the server ended. */
export type Contact =
  | { readonly kind: 'good' }
  | { readonly kind: 'unreachable' | 'refused'; readonly message: string };

const REFUSED = 401;

/**
 * Detects a server that cannot be used at all: nothing listens, its name or certificate is wrong, or it
 * refuses the key. As long as it has never answered otherwise, the first such failure ends the run.
 */
export class ContactWatch {
  readonly #shownUrl: string;
  readonly #giveUp: () => void;
  #heard = false;
  #unanswered = 0;
  #verdict: Contact | undefined;

  /** @param giveUp called once, when the run cannot succeed */
  constructor(shownUrl: string, giveUp: () => void) {
    this.#shownUrl = shownUrl;
    this.#giveUp = giveUp;
  }

  observe(event: DeviceEvent): void {
    if (this.#heard || this.#verdict) return;
    if (event.event === 'granted' || event.event === 'denied') {
      if (event.status === REFUSED) this.#refused();
      else this.#heard = true;
    } else if (event.event === 'error') {
      if (event.unreachable) this.#conclude('unreachable', event.message);
    } else if (event.event === 'timeout') this.#unanswered += 1;
    else if (event.event === 'heartbeat') this.#heartbeat(event);
  }

  conclusion(): Contact {
    if (this.#verdict) return this.#verdict;
    if (this.#heard || this.#unanswered === 0) return { kind: 'good' };
    const message = `${this.#shownUrl} answered none of ${this.#unanswered} posts within the Wait Time`;
    return { kind: 'unreachable', message };
  }

  #heartbeat({ ok, status, unreachable, message }: DeviceEvent & { event: 'heartbeat' }): void {
    if (ok) this.#heard = true;
    else if (status === REFUSED) this.#refused();
    else if (unreachable) this.#conclude('unreachable', message ?? '');
  }

  #refused(): void {
    const hint = 'is it the key of a hardware integration, and is it active?';
    this.#conclude('refused', `${this.#shownUrl} refuses the key (HTTP 401): ${hint}`);
  }

  #conclude(kind: 'unreachable' | 'refused', message: string): void {
    this.#verdict = { kind, message };
    this.#giveUp();
  }
}
