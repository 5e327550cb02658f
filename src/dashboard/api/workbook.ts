import { call, type WorksheetList } from './http.ts';

const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** Whether a file is a zip file, as a workbook is: names lie. */
export async function isWorkbook(file: Blob): Promise<boolean> {
  const [first, second, third, fourth] = new Uint8Array(await file.slice(0, 4).arrayBuffer());
  return first === 0x50 && second === 0x4b && third === 3 && fourth === 4;
}

/** A sheet as a list. @param worksheet the first that is not hidden without it */
export function readWorkbook(file: Blob, worksheet?: string): Promise<WorksheetList> {
  const typed = new Blob([file], { type: TYPE });
  return call('POST /tickets/list-from-workbook', { file: typed, worksheet });
}
