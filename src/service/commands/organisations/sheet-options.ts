import { type Command, Option } from 'commander';
import {
  SHEET_LANGUAGES,
  type SheetLanguage,
  type SheetSettings,
} from '../../../core/sheet-settings.ts';
import { collected } from '../../../terminal/option-values.ts';
import { readLogoFile } from '../../../tickets/sheets/logo.ts';

/** The options for what is printed on tickets. */
export interface SheetSettingOptions {
  readonly language?: SheetLanguage;
  readonly logo?: string;
  readonly line?: readonly string[];
}

export function addSheetSettingOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--language <code>', 'language of printed tickets').choices(SHEET_LANGUAGES),
    )
    .option('--logo <file>', 'a PNG to print on tickets, or "none" to remove it')
    .option(
      '--line <text>',
      'an own line on tickets; repeat it for more, "" removes all',
      collected,
    );
}

/** The settings that were given. @throws TicketscanError `usage` for a logo that cannot be printed */
export async function sheetChangesFrom({
  language,
  logo,
  line,
}: SheetSettingOptions): Promise<Partial<SheetSettings>> {
  const png = logo === undefined || logo === 'none' ? undefined : readLogoFile(logo);
  return {
    ...(language && { language }),
    ...(line && { lines: line }),
    ...(logo !== undefined && { logo: png?.toString('base64') ?? null }),
  };
}
