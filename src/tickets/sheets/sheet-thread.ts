import type { Worker } from 'node:worker_threads';
import { MINUTE_MS } from '../../kit/durations.ts';
import { startThread } from '../../kit/program-files.ts';
import { giveJob } from '../worker-jobs.ts';
import type { PrintedTicket, SheetContent } from './printed-ticket.ts';

/** A sheet to draw. */
export interface SheetJob {
  readonly tickets: readonly PrintedTicket[];
  /** The name of a layout. */
  readonly layout: string;
  readonly content: Omit<SheetContent, 'logo'> & { readonly logo: Uint8Array | undefined };
  readonly title: string;
}

/** Fonts and the drawing library take some 60 MB. */
const IDLE_MS = MINUTE_MS;

/** Draws sheets one after the other in a thread of its own, so that nothing else waits for them. */
export class SheetThread {
  #worker: Worker | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;

  /**
   * @returns the PDF
   * @throws TicketscanError `usage` for a layout or time zone that does not exist
   */
  draw(job: SheetJob): Promise<Uint8Array> {
    const drawn = this.#last.then(() => this.#draw(job));
    this.#last = drawn.catch(() => {});
    return drawn;
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    await this.#worker?.terminate();
    this.#worker = undefined;
  }

  async #draw(job: SheetJob): Promise<Uint8Array> {
    clearTimeout(this.#idle);
    try {
      return await giveJob(this.#running(), job);
    } finally {
      this.#idle = setTimeout(() => this.close(), IDLE_MS).unref();
    }
  }

  #running(): Worker {
    if (this.#worker) return this.#worker;
    const worker = startThread('./sheet-worker.ts', import.meta.url);
    worker.unref();
    // A thread that broke, for want of memory for example, is replaced for the next sheet.
    worker.on('exit', () => {
      if (this.#worker === worker) this.#worker = undefined;
    });
    this.#worker = worker;
    return worker;
  }
}
