import { Alert, Button, NumberInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { Organisation } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { Failure } from '../../components/states.tsx';
import { useFormats } from '../../i18n/formats.ts';
import { useTexts } from '../../i18n/language.tsx';

type Limits = Organisation['limits'];

const NAMES = ['ratePerSecond', 'burst', 'quotaPerMonth', 'keysMax'] as const;

/** The limits of section 8 as this organisation has them; fields for an owner, facts for everybody else. */
export function LimitsForm({ limits, mayChange }: { limits: Limits; mayChange: boolean }) {
  const { settings } = useTexts();
  const formats = useFormats();
  const labels = { ...settings, quotaPerMonth: settings.quota };
  if (mayChange) return <LimitFields limits={limits} labels={labels} />;
  return (
    <dl className="facts">
      {NAMES.map((name) => (
        <div key={name}>
          <dt>{labels[name]}</dt>
          <dd>{formats.number(limits[name])}</dd>
        </div>
      ))}
    </dl>
  );
}

interface LimitFieldsProps {
  readonly limits: Limits;
  readonly labels: Record<keyof Limits, string>;
}

function LimitFields({ limits, labels }: LimitFieldsProps) {
  const { settings, general } = useTexts();
  const [draft, setDraft] = useState(limits);
  const change = useChange('organisation', 'keys');
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate({ method: 'PATCH', path: '/organisation', body: { limits: draft } });
  };
  return (
    <form className="form" onSubmit={onSubmit}>
      {NAMES.map((name) => (
        <NumberInput
          key={name}
          label={labels[name]}
          min={1}
          allowDecimal={name === 'ratePerSecond'}
          value={draft[name]}
          onChange={(value) => setDraft({ ...draft, [name]: Number(value) })}
        />
      ))}
      {change.error && <Failure error={change.error} />}
      {change.isSuccess && (
        <Alert color="green" role="status">
          {settings.saved}
        </Alert>
      )}
      <Button type="submit" loading={change.isPending}>
        {general.save}
      </Button>
    </form>
  );
}
