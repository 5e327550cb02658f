import { writeFileSync } from 'node:fs';
import { configurationPage } from './configuration-page.ts';

writeFileSync('docs/configuration.md', configurationPage());
