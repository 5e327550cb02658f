import { writeFileSync } from 'node:fs';
import { configurationPage } from './configuration-page.ts';
import { jsonSchemas } from './json-schemas.ts';
import { specificationSections } from './specification-sections.ts';

writeFileSync('docs/gate/configuration.md', configurationPage());
writeFileSync('src/check/specification/sections.json', specificationSections());
for (const [path, schema] of jsonSchemas()) writeFileSync(path, schema);
