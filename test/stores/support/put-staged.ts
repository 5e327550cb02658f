import { lockStore } from '../../../src/features/store/staged-backup.ts';

/** Puts files in the place of a store, in a process that a test can kill: the store, the staged files, the new name. */
const [url = '', staged = '', keptAs = ''] = process.argv.slice(2);
const place = lockStore(url);
place.replaceBy(staged, keptAs);
place.release();
