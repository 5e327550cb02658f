/** What is started on its own, by its name in `dist`: the program, and each of its threads. */
export const PROGRAM_ENTRIES = {
  main: 'src/cli/main.ts',
  'sqlite-worker': 'src/service/stores/sqlite/sqlite-worker.ts',
  'image-worker': 'src/tickets/images/image-worker.ts',
  'sheet-worker': 'src/tickets/sheets/sheet-worker.ts',
};
