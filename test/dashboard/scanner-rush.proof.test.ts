import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { Random } from '../../prove/world/random.ts';
import { AdminClient, idOf } from '../admin/support/client.ts';
import { PATIENTLY } from '../support/patience.ts';
import { SEED } from '../support/seed.ts';
import { noBrowser, withBrowser } from './support/browser.ts';

const CODES = 50;
/** A line on which most of the codes of a rush come while another has no answer. */
const ANSWER_MS = 400;

/** A guest of the rush: the name and the end of the id are nobody else's. */
interface Guest {
  readonly code: string;
  readonly name: string;
  readonly end: string;
}

/** What the page has shown at some moment. */
interface Seen {
  /** Each row of the list of scans. */
  readonly rows: readonly string[];
  /** The stage, with its look in front. */
  readonly stages: readonly string[];
}

describe.skipIf(noBrowser)('a queue of 50 codes from a hand scanner', () => {
  const at = withBrowser({ store: 'memory' });
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const usesOf = async ({ code }: Guest) =>
    (await at.service.store.findTicket(idOf(code)))?.usesConsumed ?? 0;

  async function guests(family: string, uses = 1): Promise<Guest[]> {
    const all: Guest[] = [];
    const ends = new Set<string>();
    while (all.length < CODES) {
      const name = `${family}${String(all.length).padStart(2, '0')}`;
      const kind = uses > 1 ? ({ kind: 'multi', uses } as const) : {};
      const code = await at.service.mint({ ...kind, firstName: name, lastName: 'Rush' });
      const end = idOf(code).slice(-5);
      if (ends.has(end)) continue;
      ends.add(end);
      all.push({ code, name, end });
    }
    return all;
  }

  /** Opens the scan page on a slow line, and notes all that it shows. */
  async function openDesk() {
    const { page, faults } = await at.signedIn({ role: 'operator', path: '/scanner' });
    const random = new Random(SEED);
    const asked: string[] = [];
    await page.route('**/admin/v1/scans', async (route) => {
      asked.push(String(route.request().postDataJSON().ticketCode));
      const answer = await route.fetch();
      // Some overtake what else the page asks for.
      await sleep(ANSWER_MS * (0.5 + random.next()));
      await route.fulfill({ response: answer }).catch(() => {});
    });
    await page.locator('.result.ready').waitFor();
    await page.evaluate(() => {
      const seen = { rows: new Set<string>(), stages: new Set<string>() };
      Object.assign(window, { seen });
      const note = () => {
        for (const row of document.querySelectorAll('.small-scans li'))
          seen.rows.add((row as HTMLElement).innerText.replaceAll(/\s+/gu, ' '));
        const stage = document.querySelector<HTMLElement>('.result');
        if (stage)
          seen.stages.add(`${stage.className} ${stage.innerText}`.replaceAll(/\s+/gu, ' '));
      };
      new MutationObserver(note).observe(document.body, {
        childList: true,
        subtree: true,
        characterData: true,
        attributes: true,
      });
      note();
    });
    return { page, faults, asked };
  }

  const seenOn = (page: Page): Promise<Seen> =>
    page.evaluate(() => {
      const { seen } = window as unknown as { seen: Record<'rows' | 'stages', Set<string>> };
      return { rows: [...seen.rows], stages: [...seen.stages] };
    });

  /**
   * Types codes as a hand scanner does, each with Enter behind it, wherever the focus is. The keys come from the page itself: a busy machine
   * would type as slowly as a person.
   */
  async function play(page: Page, line: readonly Guest[]): Promise<void> {
    for (const { code } of line)
      await page.evaluate(
        (keys) => {
          for (const key of keys) {
            const target = document.activeElement ?? document.body;
            const typed = { key, bubbles: true, cancelable: true };
            target.dispatchEvent(new KeyboardEvent('keydown', typed));
          }
        },
        [...code, 'Enter'],
      );
  }

  /** Waits until nothing is asked about, and nothing waits. */
  async function quiet(page: Page): Promise<void> {
    const open = page.locator('.small-scans li').filter({ hasText: /Checking|Waits/u });
    await expect.poll(() => open.count(), PATIENTLY).toBe(0);
    await expect.poll(() => page.locator('.result.pending').count(), PATIENTLY).toBe(0);
  }

  /** Each code has its own answer, or was refused where a person sees it. @returns those that were answered */
  function judged({ rows, stages }: Seen, line: readonly Guest[], word: string): Guest[] {
    const answered = line.filter(({ name, end }) => {
      const own = rows.some((row) => row.includes(`${name} Rush`) && row.includes(word));
      const refused = rows.some((row) => row.includes(`… ${end}`) && row.includes('NOT TAKEN'));
      expect(own || refused, `${name} was lost`).toBe(true);
      return own;
    });
    for (const stage of stages) {
      const named = line.filter(({ name }) => stage.includes(`${name} Rush`));
      const about = line.filter(({ end }) => stage.includes(`… ${end}`));
      expect(named.length, stage).toBeLessThanOrEqual(1);
      if (named.length === 1 && about.length === 1) expect(about, stage).toEqual(named);
    }
    expect(answered.length).toBeGreaterThan(5);
    return answered;
  }

  /** The uses that were taken are those of the answers that were shown, and of nobody else. */
  async function expectUses(line: readonly Guest[], answered: readonly Guest[], first = 1) {
    for (const guest of line) {
      const isFirst = guest === line[0];
      const expected = answered.includes(guest) ? (isFirst ? first : 1) : 0;
      expect(await usesOf(guest), guest.name).toBe(expected);
    }
  }

  const byHand = async () => {
    const { entries } = await at.service.store.searchLog({ limit: 1000, searchMax: 10_000 });
    return entries.filter((entry) => 'byHand' in entry && entry.byHand).length;
  };

  test('on a slow line: each has its own answer or is refused, and is let in once', async () => {
    const line = await guests('Slow');
    const { page, faults, asked } = await openDesk();
    await play(page, line);
    await quiet(page);
    const answered = judged(await seenOn(page), line, 'ADMITTED');
    await expectUses(line, answered);
    expect(asked).toEqual(answered.map(({ code }) => code));
    expect(faults).toEqual([]);
  });

  test('while guests are found: no key of the scanner chooses one or lets one in', async () => {
    const line = await guests('Found');
    const { page, faults } = await openDesk();
    await button(page, 'Find a guest').click();
    const field = page.getByRole('searchbox', { name: 'Name, reference or end of the id' });
    const secondLook = page.locator('.guest-search').getByRole('button', { name: 'Only check' });
    // With one ticket found, a person's Enter chooses it.
    await field.fill('Found49');
    await page.getByText('1 ticket found', { exact: true }).waitFor();
    await field.focus();
    await play(page, line.slice(0, 20));
    expect(await secondLook.count()).toBe(0);
    await field.fill('Found');
    await page.locator('.guest').nth(5).waitFor();
    await page.locator('.guest').nth(2).focus();
    await play(page, line.slice(20, 35));
    expect(await secondLook.count()).toBe(0);
    await page.locator('.guest').nth(2).click();
    await page.locator('.guest-search').getByRole('button', { name: 'Let in' }).focus();
    await play(page, line.slice(35));
    await page.locator('.guest-search').getByRole('button', { name: 'Let in' }).waitFor();
    await quiet(page);
    const answered = judged(await seenOn(page), line, 'ADMITTED');
    await expectUses(line, answered);
    expect(await byHand()).toBe(0);
    expect(faults).toEqual([]);
  });

  test('while "Attention" waits for its tap: it waits until then, and what was not taken is said', async () => {
    const line = await guests('Mark');
    const owner = await AdminClient.signedIn(at.service);
    await owner.patch(`/tickets/${idOf(line[0]?.code ?? '')}`, { attention: true });
    const { page, faults, asked } = await openDesk();
    await play(page, line.slice(0, 1));
    await button(page, 'Seen, go on').waitFor();
    await play(page, line.slice(1));
    await sleep(2 * ANSWER_MS);
    // Nothing but a person's tap goes on.
    expect(asked).toHaveLength(1);
    expect(await page.locator('.result').innerText()).toContain('Mark00 Rush');
    expect(await page.locator('.held-behind').innerText()).toMatch(
      /5 tickets are waiting.*not taken/isu,
    );
    await button(page, 'Seen, go on').click();
    await quiet(page);
    const answered = judged(await seenOn(page), line, 'ADMITTED');
    expect(answered).toHaveLength(6);
    await expectUses(line, answered);
    expect(faults).toEqual([]);
  });

  test('with "Ask first": nothing is used without a person, and each question is about its own guest', async () => {
    const line = await guests('Ask');
    const { page, faults } = await openDesk();
    await page.getByText('Ask first', { exact: true }).click();
    await play(page, line);
    const letIn: string[] = [];
    for (let turn = 0; turn < 6; turn += 1) {
      const stage = page.locator('.result.question');
      await stage.waitFor();
      const text = await stage.innerText();
      expect(text).toContain(`${line[turn]?.name} Rush`);
      expect(text).toContain(`… ${line[turn]?.end}`);
      if (turn % 2 === 0) {
        letIn.push(line[turn]?.name ?? '');
        await button(page, 'Let in').click();
      } else await button(page, 'Not now').click();
      await expect
        .poll(async () => (await page.locator('.result').innerText()).includes(text), PATIENTLY)
        .toBe(false);
    }
    await quiet(page);
    for (const guest of line)
      expect(await usesOf(guest), guest.name).toBe(letIn.includes(guest.name) ? 1 : 0);
    const { rows } = await seenOn(page);
    for (const { end } of line.slice(6))
      expect(rows.some((row) => row.includes(`… ${end}`) && row.includes('NOT TAKEN'))).toBe(true);
    expect(faults).toEqual([]);
  });

  test('with several uses at once: they are for one scan alone, however fast the next comes', async () => {
    const line = await guests('Card', 9);
    const { page, faults } = await openDesk();
    await page.getByLabel('Uses of the next scan').selectOption('3');
    await play(page, line);
    await quiet(page);
    const answered = judged(await seenOn(page), line, 'ADMITTED');
    await expectUses(line, answered, 3);
    expect(faults).toEqual([]);
  });

  test('at a way out: each is counted out once or refused, and no use is taken', async () => {
    const line = await guests('Out', 9);
    for (const { code } of line) await at.service.rest('consume', code);
    const { page, faults, asked } = await openDesk();
    await page.locator('.mode-choice').getByText('Way out', { exact: true }).click();
    await play(page, line);
    await quiet(page);
    const answered = judged(await seenOn(page), line, 'OUT');
    expect(asked).toEqual(answered.map(({ code }) => code));
    for (const guest of line) expect(await usesOf(guest), guest.name).toBe(1);
    const { entries } = await at.service.store.searchLog({ limit: 1000, searchMax: 10_000 });
    const out = entries.filter(({ direction }) => direction === 'out');
    expect(out.map(({ ticketId }) => ticketId).toSorted()).toEqual(
      answered.map(({ code }) => idOf(code)).toSorted(),
    );
    expect(faults).toEqual([]);
  });
});
