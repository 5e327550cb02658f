import { Alert, Button, Code, NumberInput, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { Organisation } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { Failure } from '../../components/states.tsx';
import { useFormats } from '../../i18n/formats.ts';
import { useTexts } from '../../i18n/language.tsx';

const NAMES = ['ratePerSecond', 'burst', 'quotaPerMonth', 'keysMax'] as const;

interface LimitListProps {
  readonly organisation: Organisation;
  readonly mayEdit: boolean;
}

/** The limits of section 8 as this organisation has them, and how they are changed. */
export function LimitList({ organisation, mayEdit }: LimitListProps) {
  const { settings } = useTexts();
  const formats = useFormats();
  const { limits, keysMaxTo } = organisation;
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
      {mayEdit && keysMaxTo !== null && (
        <RaiseKeys key={limits.keysMax} keysMax={limits.keysMax} keysMaxTo={keysMaxTo} />
      )}
      <Text size="sm" mt="md">
        {settings.limitsChange}
      </Text>
      <Code block>ticketscan organisations edit --help</Code>
    </>
  );
}

function RaiseKeys({ keysMax, keysMaxTo }: { keysMax: number; keysMaxTo: number }) {
  const { settings } = useTexts();
  const [wanted, setWanted] = useState<number | string>(keysMax);
  const change = useChange<Organisation>('organisation');
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate({ method: 'PATCH', path: '/organisation', body: { keysMax: Number(wanted) } });
  };
  return (
    <form className="form" onSubmit={onSubmit}>
      <NumberInput
        required
        label={settings.keysMax}
        description={settings.keysMaxHelp(keysMaxTo)}
        min={keysMax}
        max={keysMaxTo}
        allowDecimal={false}
        value={wanted}
        onChange={setWanted}
      />
      {change.error && <Failure error={change.error} />}
      {change.isSuccess && (
        <Alert color="green" role="status">
          {settings.organisationSaved}
        </Alert>
      )}
      <Button type="submit" loading={change.isPending} disabled={Number(wanted) === keysMax}>
        {settings.keysMaxSave}
      </Button>
    </form>
  );
}
