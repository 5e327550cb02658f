import { writeFileSync } from 'node:fs';
import { configurationPage } from './configuration-page.ts';
import { jsonSchemas } from './json-schemas.ts';
import { routesPage } from './routes-page.ts';
import { specificationSections } from './specification-sections.ts';

writeFileSync('docs/gate/configuration.md', configurationPage());
writeFileSync('docs/contributing/routes.md', await routesPage());
writeFileSync('src/check/specification/sections.json', specificationSections());
for (const [path, schema] of jsonSchemas()) writeFileSync(path, schema);
