import { Alert, Button, NativeSelect, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { machineZone } from '../../../core/time-zone.ts';
import type { Organisation } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { Name } from '../../components/name.tsx';
import { Failure } from '../../components/states.tsx';
import { useTexts } from '../../i18n/language.tsx';

interface OrganisationFormProps {
  readonly organisation: Organisation;
  readonly mayEdit: boolean;
}

/** The organisation's name and time zone; owners change them. */
export function OrganisationForm({ organisation, mayEdit }: OrganisationFormProps) {
  const { settings } = useTexts();
  const { name, timeZone } = organisation;
  const zoneNow = timeZone ?? settings.timeZoneNone;
  return (
    <section className="panel">
      <h2>{settings.organisation}</h2>
      {mayEdit ? (
        <EditOrganisation organisation={organisation} />
      ) : (
        <dl className="facts">
          <dt>{settings.organisationName}</dt>
          <dd>
            <Name>{name}</Name>
          </dd>
          <dt>{settings.timeZone}</dt>
          <dd>{zoneNow}</dd>
        </dl>
      )}
    </section>
  );
}

function EditOrganisation({ organisation }: { organisation: Organisation }) {
  const { settings } = useTexts();
  const [name, setName] = useState(organisation.name);
  const [timeZone, setTimeZone] = useState(organisation.timeZone ?? '');
  const change = useChange<Organisation>('organisation', 'sessions');
  const body = {
    ...(name !== organisation.name && { name }),
    ...(timeZone !== (organisation.timeZone ?? '') && { timeZone: timeZone || null }),
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate({ method: 'PATCH', path: '/organisation', body });
  };
  return (
    <form className="form" onSubmit={onSubmit}>
      <TextInput
        required
        label={settings.organisationName}
        maxLength={100}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <NativeSelect
        label={settings.timeZone}
        description={settings.timeZoneHelp}
        value={timeZone}
        onChange={(event) => setTimeZone(event.currentTarget.value)}
        data={[{ value: '', label: settings.timeZoneNone }, ...zones(organisation.timeZone)]}
      />
      {change.error && <Failure error={change.error} />}
      {change.isSuccess && (
        <Alert color="green" role="status">
          {settings.organisationSaved}
        </Alert>
      )}
      <Button type="submit" loading={change.isPending} disabled={Object.keys(body).length === 0}>
        {settings.organisationSave}
      </Button>
    </form>
  );
}

/** The viewer's own first: most organisations are where their owner is. */
function zones(current: string | undefined): string[] {
  const known = [machineZone(), 'UTC', ...Intl.supportedValuesOf('timeZone')];
  return [...new Set(current === undefined ? known : [current, ...known])];
}
