import { CODE_EXCEPTIONS, LONG_FILES } from './code-exceptions.ts';
import { judgeFolders } from './judge-folders.ts';

const FOLDERS = ['src', 'test', 'prove', 'scripts', 'bench'];

const { files, excused, problems } = judgeFolders(process.cwd(), FOLDERS, {
  exceptions: CODE_EXCEPTIONS,
  longFiles: LONG_FILES,
});
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 ? 1 : 0;
console.log(
  `code: ${files} files, ${problems.length} places against the rules, ${excused} excused`,
);
