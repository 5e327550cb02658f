import { expect, test } from 'vitest';
import * as z from 'zod';
import { DEVICE_MODELS } from '../../src/scan/devices/detect.ts';

test.each(DEVICE_MODELS.map((model) => [model.id, model.schemas] as const))(
  'the API document describes what a %s sends and gets',
  (_id, schemas) => {
    const described = Object.entries(schemas).map(([name, schema]) => {
      const { $schema: _, ...json } = z.toJSONSchema(schema as z.ZodType);
      return [name, json];
    });
    expect(Object.fromEntries(described)).toMatchSnapshot();
  },
);
