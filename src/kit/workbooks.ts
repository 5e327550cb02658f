/** The media type of an `.xlsx` workbook. */
export const WORKBOOK_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** How a zip file begins, as a workbook is one. */
const ZIP_START = [0x50, 0x4b, 0x03, 0x04] as const;

/** Whether these are the first bytes of a zip file, such as a workbook: names of files lie. */
export function isZip(start: Uint8Array): boolean {
  return ZIP_START.every((byte, index) => start[index] === byte);
}
