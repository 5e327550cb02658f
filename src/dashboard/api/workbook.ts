import { isZip, WORKBOOK_TYPE } from '../../kit/workbooks.ts';
import { call, type WorksheetList } from './http.ts';

/** Whether a file is a zip file, as a workbook is: names lie. */
export async function isWorkbook(file: Blob): Promise<boolean> {
  return isZip(new Uint8Array(await file.slice(0, 4).arrayBuffer()));
}

/** A sheet as a list. @param worksheet the first that is not hidden without it */
export function readWorkbook(file: Blob, worksheet?: string): Promise<WorksheetList> {
  const typed = new Blob([file], { type: WORKBOOK_TYPE });
  return call('POST /tickets/list-from-workbook', { file: typed, worksheet });
}
