import type { Page } from 'playwright-core';

/** What a page was busy with, and how long it waited for its server. */
export interface PageWork {
  /** The longest time in which it could not answer to the user; 0 below the 50 ms that browsers report. */
  readonly longestTaskMs: number;
  /** The longest time between two frames. */
  readonly longestFrameMs: number;
  readonly frames: number;
  /** The slowest answer of the admin API, from the request to its last byte. */
  readonly slowestAnswerMs: number;
  readonly answers: number;
}

const WATCH = `
  globalThis.pageWork = { longestTaskMs: 0, longestFrameMs: 0, frames: 0, slowestAnswerMs: 0, answers: 0 };
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) pageWork.longestTaskMs = Math.max(pageWork.longestTaskMs, duration);
  }).observe({ type: 'longtask', buffered: true });
  new PerformanceObserver((list) => {
    for (const { name, duration } of list.getEntries()) {
      if (!name.includes('/admin/v1/') || name.includes('/live')) continue;
      pageWork.answers += 1;
      pageWork.slowestAnswerMs = Math.max(pageWork.slowestAnswerMs, duration);
    }
  }).observe({ type: 'resource', buffered: true });
  let last;
  const frame = (now) => {
    if (last !== undefined) pageWork.longestFrameMs = Math.max(pageWork.longestFrameMs, now - last);
    last = now;
    pageWork.frames += 1;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);`;
const TAKE = `(() => {
  const work = { ...pageWork };
  for (const name of Object.keys(pageWork)) pageWork[name] = 0;
  return work;
})()`;
/** Entries of the browser's timeline come a little after what they tell of. */
const SETTLE_MS = 300;

/** Notes from the next document on what `takeWork` tells. */
export async function watchPage(page: Page): Promise<void> {
  await page.addInitScript(WATCH);
}

/** What the page did since its document was opened, or since the last call. */
export async function takeWork(page: Page): Promise<PageWork> {
  await page.waitForTimeout(SETTLE_MS);
  return page.evaluate<PageWork>(TAKE);
}
