import { Alert, Button, FileInput, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { machineZone } from '../../../core/time-zone.ts';
import { ADMIN_PATH } from '../../api/base-path.ts';
import { base64Of } from '../../api/base64-of.ts';
import type { Organisation, SheetSettings } from '../../api/types.ts';
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

/** What is printed on the organisation's tickets; owners change it. */
export function PaperSettings({ settings }: { readonly settings: SheetSettings }) {
  const { paper, general } = useTexts();
  const [language, setLanguage] = useState(settings.language ?? 'en');
  const [lines, setLines] = useState(settings.lines.join('\n'));
  const [logo, setLogo] = useState<File | null>(null);
  const change = useChange<SheetSettings>('organisation');
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const body = {
      ...{ language, lines: lines.split('\n').filter((line) => line.trim() !== '') },
      ...(logo && { logo: await base64Of(logo) }),
    };
    change.mutate({ method: 'PATCH', path: '/organisation/sheets', body });
  };
  return (
    <form className="form" onSubmit={save}>
      <NativeSelect
        label={paper.language}
        data={(['en', 'de'] as const).map((value) => ({ value, label: paper.languages[value] }))}
        value={language}
        onChange={({ currentTarget: { value } }) => setLanguage(value === 'de' ? 'de' : 'en')}
      />
      <Textarea
        label={paper.lines}
        description={paper.linesHelp}
        rows={4}
        value={lines}
        onChange={(event) => setLines(event.currentTarget.value)}
      />
      <Logo settings={settings} />
      <FileInput
        label={paper.logo}
        description={paper.logoHelp}
        placeholder={general.chooseFile}
        accept="image/png"
        clearable
        clearButtonProps={{ 'aria-label': general.clearFile }}
        value={logo}
        onChange={setLogo}
      />
      {change.error && <Failure error={change.error} />}
      {change.isSuccess && (
        <Alert color="green" role="status">
          {paper.saved}
        </Alert>
      )}
      <Button type="submit" loading={change.isPending}>
        {general.save}
      </Button>
    </form>
  );
}

function Logo({ settings }: { readonly settings: SheetSettings }) {
  const { paper } = useTexts();
  const remove = useChange('organisation');
  if (!settings.logo) return null;
  return (
    <>
      <img className="logo" src={`${ADMIN_PATH}/organisation/logo.png`} alt={paper.logoNow} />
      <Button
        variant="default"
        loading={remove.isPending}
        onClick={() =>
          remove.mutate({ method: 'PATCH', path: '/organisation/sheets', body: { logo: null } })
        }
      >
        {paper.removeLogo}
      </Button>
      {remove.error && <Failure error={remove.error} />}
    </>
  );
}
