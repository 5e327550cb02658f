import * as z from 'zod';
import { WORKBOOK_TYPE } from '../../../kit/workbooks.ts';
import { ErrorBody } from '../../../operations/fields.ts';
import type { AdminApp } from '../../../operations/http/route.ts';
import { readWorkbook } from '../../../tickets/lists/workbook.ts';
import { listTooLong, sourceFrom } from './list-source.ts';

/** The most characters of a sheet that is answered as a whole: the gates wait while it is written. */
const SHEET_CHARACTERS_MAX = 4 * 1024 * 1024;

const WorkbookBody = z.unknown().meta({ description: 'a workbook (.xlsx)' });
const WorkbookQuery = z.object({
  /** The first that is not hidden, when it is left out. */
  worksheet: z.string().max(100).optional(),
});
const WorksheetList = z
  .object({
    worksheet: z.string(),
    worksheets: z.array(z.string()).meta({ description: 'the names of all sheets' }),
    otherWorksheets: z
      .array(z.string())
      .meta({ description: 'the names of the other sheets that are not hidden' }),
    hiddenRows: z.number().int().meta({
      description:
        'how many rows of the list the sheet hides, such as by a filter, a closed group or a height of 0',
    }),
    hiddenColumns: z
      .array(z.string())
      .meta({ description: 'the headings of the columns that the sheet hides' }),
    csv: z.string().meta({
      description:
        'the sheet as CSV: a line for each row. A cell that merged cells cover is `#MERGED SHEET!C2:C3`, and is refused where its column is read',
    }),
  })
  .meta({ id: 'WorksheetList' });

/** A page lets people assign the columns of a sheet, as it does with CSV that it reads itself. */
export function workbookRoute(app: AdminApp): void {
  app.post(
    '/tickets/list-from-workbook',
    {
      config: { access: 'operator', share: 'uploads' },
      schema: {
        tags: ['Tickets'],
        operationId: 'listFromWorkbook',
        summary: 'Read a sheet of a workbook as a list',
        description:
          'The body is a workbook (`.xlsx`). Nothing is stored. Dates have no zone, and formulas the value that they had when the workbook was saved.',
        consumes: [WORKBOOK_TYPE],
        querystring: WorkbookQuery,
        body: WorkbookBody,
        response: { 200: WorksheetList, 413: ErrorBody, 422: ErrorBody },
      },
    },
    async (request) => {
      const read = await readWorkbook(sourceFrom(request).chunks, request.query.worksheet);
      if (read.csv.length > SHEET_CHARACTERS_MAX) throw listTooLong();
      const { worksheets, otherWorksheets, hiddenColumns } = read;
      return {
        ...read,
        worksheets: [...worksheets],
        otherWorksheets: [...otherWorksheets],
        hiddenColumns: [...hiddenColumns],
      };
    },
  );
}
