import { Alert, Button, NativeSelect } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { Organisation } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { Failure } from '../../components/states.tsx';
import { viewersZone } from '../../i18n/formats.ts';
import { useTexts } from '../../i18n/language.tsx';

/** The organisation's time zone; owners change it. */
export function TimeZoneForm({ timeZone, mayEdit }: { timeZone?: string; mayEdit: boolean }) {
  const { settings } = useTexts();
  const [chosen, setChosen] = useState(timeZone ?? viewersZone());
  const change = useChange<Organisation>('organisation');
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate({ method: 'PATCH', path: '/organisation', body: { timeZone: chosen } });
  };
  return (
    <form className="panel form" onSubmit={onSubmit}>
      <h2>{settings.timeZone}</h2>
      <p className="dimmed">{settings.timeZoneHelp}</p>
      <p>{settings.timeZoneNow(timeZone ?? settings.timeZoneNone)}</p>
      {mayEdit && (
        <>
          <NativeSelect
            label={settings.timeZone}
            value={chosen}
            onChange={(event) => setChosen(event.currentTarget.value)}
            data={[...new Set([chosen, 'UTC', ...Intl.supportedValuesOf('timeZone')])]}
          />
          {change.error && <Failure error={change.error} />}
          {change.isSuccess && (
            <Alert color="green" role="status">
              {settings.timeZoneSaved}
            </Alert>
          )}
          <Button type="submit" loading={change.isPending}>
            {settings.timeZoneSave}
          </Button>
        </>
      )}
    </form>
  );
}
