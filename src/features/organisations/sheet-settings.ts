import type { Clock } from '../../core/clock.ts';
import { refuse } from '../../core/errors.ts';
import { SHEET_LINE_CHARACTERS_MAX, SHEET_LINES_MAX } from '../../core/limits.ts';
import { checkNoCode, checkNoKey, isPeopleText } from '../../core/people-texts.ts';
import { NO_SHEET_SETTINGS, type SheetSettings } from '../../core/records.ts';
import { looksEmpty } from '../../core/text-length.ts';
import type { RecordStore } from '../../stores/record-store.ts';
import { type Actor, auditEntryOf } from '../actor.ts';

const KIND = 'sheet-settings';

/** The settings of printed tickets. They are stored beside the organisation, because a scan needs none of them (ADR 0051). */
export class SheetAdministration {
  readonly #store: Pick<RecordStore, 'read' | 'write'>;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #actor: Actor;

  constructor(store: Pick<RecordStore, 'read' | 'write'>, clock: Pick<Clock, 'now'>, actor: Actor) {
    this.#store = store;
    this.#clock = clock;
    this.#actor = actor;
  }

  async settingsOf(organisationId: string): Promise<SheetSettings> {
    const found = await this.#store.read(KIND, organisationId);
    return { ...NO_SHEET_SETTINGS, ...(found?.value as Partial<SheetSettings> | undefined) };
  }

  /**
   * Changes some of the settings.
   * @param changes its logo must be one that `readLogo` accepted
   * @throws TicketscanError `usage` for lines that cannot be printed, `conflict` when somebody else changed them meanwhile
   */
  async edit(organisationId: string, changes: Partial<SheetSettings>): Promise<SheetSettings> {
    const { record, auditEntry, settings } = await this.changed(organisationId, changes);
    await this.#store.write({ administrative: [record], audit: [auditEntry] });
    return settings;
  }

  /** What `edit` writes, for who writes it together with other changes. @throws TicketscanError `usage` */
  async changed(organisationId: string, changes: Partial<SheetSettings>) {
    const found = await this.#store.read(KIND, organisationId);
    const { lines, logo } = changes;
    const settings: SheetSettings = {
      ...NO_SHEET_SETTINGS,
      ...(found?.value as Partial<SheetSettings> | undefined),
      ...changes,
      ...(lines && { lines: checkedLines(lines) }),
    };
    const details = {
      ...changes,
      ...(logo !== undefined && { logo: logo === null ? 'removed' : 'changed' }),
    };
    const change = { act: 'organisation.sheets', subject: organisationId, organisationId, details };
    const record = { kind: KIND, id: organisationId, value: settings } as const;
    return {
      record: { ...record, revision: found?.revision ?? 0 },
      auditEntry: auditEntryOf(this.#actor, this.#clock, change),
      settings,
    };
  }
}

/** The lines without empty ones. @throws TicketscanError `usage` */
export function checkedLines(lines: readonly string[]): string[] {
  const kept = lines.map((line) => line.trim()).filter((line) => !looksEmpty(line));
  const isPrintable = (line: string) => isPeopleText(line, SHEET_LINE_CHARACTERS_MAX);
  if (kept.length > SHEET_LINES_MAX || !kept.every(isPrintable)) {
    throw refuse('own_lines', {
      lines: SHEET_LINES_MAX,
      characters: SHEET_LINE_CHARACTERS_MAX,
    });
  }
  for (const line of kept) {
    checkNoKey(line);
    checkNoCode(line);
  }
  return kept;
}
