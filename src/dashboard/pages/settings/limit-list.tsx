import { Code, Text } from '@mantine/core';
import type { Organisation } from '../../api/types.ts';
import { useFormats } from '../../i18n/formats.ts';
import { useTexts } from '../../i18n/language.tsx';

const NAMES = ['ratePerSecond', 'burst', 'quotaPerMonth', 'keysMax'] as const;

/** The limits of section 8 as this organisation has them, and how they are changed. */
export function LimitList({ limits }: { readonly limits: Organisation['limits'] }) {
  const { settings } = useTexts();
  const formats = useFormats();
  const labels = { ...settings, quotaPerMonth: settings.quota };
  return (
    <>
      <dl className="facts">
        {NAMES.map((name) => (
          <div key={name}>
            <dt>{labels[name]}</dt>
            <dd>{formats.number(limits[name])}</dd>
          </div>
        ))}
      </dl>
      <Text size="sm">{settings.limitsChange}</Text>
      <Code block>ticketscan organisations edit --help</Code>
    </>
  );
}
