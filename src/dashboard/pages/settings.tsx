import {
  Alert,
  Button,
  Code,
  FileInput,
  NativeSelect,
  NumberInput,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { machineZone } from '../../core/time-zone.ts';
import { ADMIN_PATH, BASE_PATH } from '../api/http.ts';
import { useMay } from '../api/session.tsx';
import type { Organisation, Server, SheetSettings } from '../api/types.ts';
import { useChange, useRead } from '../api/use-api.ts';
import { SecretInput } from '../components/fields.tsx';
import { PageHead } from '../components/page-head.tsx';
import { Answered, Failure } from '../components/states.tsx';
import { Name } from '../components/values.tsx';
import { useFormats } from '../i18n/formats.ts';
import { useTexts } from '../i18n/language.tsx';

/** The own password, the organisation's limits, and what server this is. */
export function SettingsPage() {
  const { settings, paper } = useTexts();
  const owner = useMay('owner');
  const sheets = useRead<SheetSettings>('/organisation/sheets');
  const organisation = useRead<Organisation>('/organisation');
  const server = useRead<Server>('/server');
  return (
    <>
      <PageHead title={settings.title} />
      <div className="cards">
        <ChangePassword />
        <Answered asked={organisation}>
          {(found) => <OrganisationForm organisation={found} mayEdit={owner} />}
        </Answered>
        {owner && (
          <section className="panel">
            <h2>{paper.title}</h2>
            <Answered asked={sheets}>{(found) => <PaperSettings settings={found} />}</Answered>
          </section>
        )}
        <section className="panel">
          <h2>{settings.limits}</h2>
          <p className="dimmed">{settings.limitsHelp}</p>
          <Answered asked={organisation}>
            {(found) => <LimitList organisation={found} mayEdit={owner} />}
          </Answered>
        </section>
        <section className="panel">
          <h2>{settings.server}</h2>
          <Answered asked={server}>
            {({ version, engine }) => (
              <dl className="facts">
                <dt>{settings.version}</dt>
                <dd>{version}</dd>
                <dt>{settings.engine}</dt>
                <dd>{engine}</dd>
              </dl>
            )}
          </Answered>
          <a href={`${BASE_PATH}/openapi.json`}>{settings.apiDocument}</a>
        </section>
      </div>
    </>
  );
}

const NOTHING = { current: '', next: '' };

/** Changes the password of the signed-in account. */
function ChangePassword() {
  const { settings, accounts } = useTexts();
  const [typed, setTyped] = useState(NOTHING);
  const change = useChange('access-tokens', 'organisation');
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    change.mutate(
      { method: 'POST', path: '/password', body: typed },
      { onSuccess: () => setTyped(NOTHING) },
    );
  };
  return (
    <form className="panel form" onSubmit={onSubmit}>
      <h2>{settings.password}</h2>
      <SecretInput
        label={settings.current}
        required
        autoComplete="current-password"
        value={typed.current}
        onChange={(event) => setTyped({ ...typed, current: event.currentTarget.value })}
      />
      <SecretInput
        label={settings.next}
        description={accounts.passwordHelp}
        required
        autoComplete="new-password"
        value={typed.next}
        onChange={(event) => setTyped({ ...typed, next: event.currentTarget.value })}
      />
      {change.error && <Failure error={change.error} />}
      {change.isSuccess && (
        <Alert color="green" role="status">
          {settings.changed}
        </Alert>
      )}
      <Button type="submit" loading={change.isPending}>
        {settings.password}
      </Button>
    </form>
  );
}

const NAMES = ['ratePerSecond', 'burst', 'quotaPerMonth', 'keysMax'] as const;

interface LimitListProps {
  readonly organisation: Organisation;
  readonly mayEdit: boolean;
}

/** The limits of section 8 as this organisation has them, and how they are changed. */
function LimitList({ organisation, mayEdit }: LimitListProps) {
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

interface OrganisationFormProps {
  readonly organisation: Organisation;
  readonly mayEdit: boolean;
}

/** The organisation's name and time zone; owners change them. */
function OrganisationForm({ organisation, mayEdit }: OrganisationFormProps) {
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
function PaperSettings({ settings }: { readonly settings: SheetSettings }) {
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

/** The bytes of a file as Base64. */
async function base64Of(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text);
}
