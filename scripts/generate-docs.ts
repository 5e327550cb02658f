import { writeFileSync } from 'node:fs';
import { deviceFileJsonSchema } from '../src/device-files/schema.ts';
import { scenarioJsonSchema } from '../src/simulate/scenario/scenario-schema.ts';
import { configurationPage } from './configuration-page.ts';
import { specificationSections } from './specification-sections.ts';
import { storeSchema } from './store-schema.ts';

writeFileSync('docs/gate/configuration.md', configurationPage());
writeFileSync('src/check/specification/sections.json', specificationSections());
writeFileSync('docs/schemas/ticketscan-store.schema.json', storeSchema());
writeFileSync(
  'fixtures/device-files/device-file.schema.json',
  `${JSON.stringify(deviceFileJsonSchema(), null, 2)}\n`,
);
writeFileSync(
  'fixtures/scenarios/scenario.schema.json',
  `${JSON.stringify(scenarioJsonSchema(), null, 2)}\n`,
);
