import type { WorksheetList } from '../api/http.ts';
import type { DeskTexts } from '../i18n/desk-texts.ts';

/** What somebody may not expect who sees the workbook in a spreadsheet. */
export function sheetNotes(
  { otherWorksheets, hiddenRows }: WorksheetList,
  lists: DeskTexts['lists'],
): string | undefined {
  const notes = [
    ...(otherWorksheets.length > 0 ? [lists.otherSheets(otherWorksheets.join(', '))] : []),
    ...(hiddenRows > 0 ? [lists.hiddenRows(hiddenRows)] : []),
  ];
  return notes.length > 0 ? notes.join(' ') : undefined;
}
