import type { WorksheetList } from '../api/http.ts';
import type { DeskTexts } from '../i18n/desk-texts.ts';

/** What somebody may not expect who sees the workbook in a spreadsheet. */
export function sheetNotes(
  { otherWorksheets, hiddenRows, hiddenColumns }: WorksheetList,
  lists: DeskTexts['lists'],
): string | undefined {
  const notes = [
    ...(otherWorksheets.length > 0 ? [lists.otherSheets(otherWorksheets.join(', '))] : []),
    ...(hiddenRows > 0 ? [lists.hiddenRows(hiddenRows)] : []),
    ...(hiddenColumns.length > 0 ? [lists.hiddenColumns(hiddenColumns.join(', '))] : []),
  ];
  return notes.length > 0 ? notes.join(' ') : undefined;
}
