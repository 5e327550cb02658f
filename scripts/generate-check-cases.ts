import { writeFileSync } from 'node:fs';
import { checkCasesDocument } from './check-cases-doc.ts';

writeFileSync(new URL('../docs/check-cases.md', import.meta.url), checkCasesDocument());
