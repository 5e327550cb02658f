/** The most bytes of a workbook as it is sent or saved. */
export const WORKBOOK_BYTES_MAX = 16 * 1024 * 1024;
/** The most that is unpacked, some 200,000 rows of guests: a zip file of some kilobytes may claim gigabytes. */
export const UNPACKED_BYTES_MAX = 64 * 1024 * 1024;
/** The memory of the thread that reads one. A cell in the last row and column of a sheet makes thousands of millions of empty ones. */
export const WORKBOOK_MEMORY_MB = 1024;
/** The most processor time for reading a workbook, in milliseconds: the largest takes a tenth of it. */
export const WORKBOOK_PROCESSOR_MS = 60_000;
/** The longest time for reading one, in milliseconds: beside other work a thread that goes last may get little of a processor. */
export const WORKBOOK_WAIT_MS = 300_000;
