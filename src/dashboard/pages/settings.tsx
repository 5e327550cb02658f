import { Button, Code, FileInput, NativeSelect, Text, Textarea, TextInput } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { addressOf, BASE_PATH } from '../api/http.ts';
import { useMay } from '../api/session.tsx';
import type { Organisation, SheetSettings } from '../api/types.ts';
import { useChange, useRead } from '../api/use-api.ts';
import { choicesOf, NumberField, SecretInput, useDraft } from '../components/fields.tsx';
import { PageHead } from '../components/page-head.tsx';
import { Answered, ChangeResult, Failure } from '../components/states.tsx';
import { Facts, Name } from '../components/values.tsx';
import { zoneChoices } from '../i18n/formats.ts';
import { useFormats, useTexts } from '../i18n/language.tsx';

/** The own password, the organisation's limits, and what server this is. */
export function SettingsPage() {
  const { settings, paper } = useTexts();
  const owner = useMay('owner');
  const sheets = useRead('GET /organisation/sheets');
  const organisation = useRead('GET /organisation');
  const server = useRead('GET /server');
  return (
    <>
      <PageHead title={settings.title} />
      <div className="cards">
        <ChangePassword />
        <Answered asked={organisation}>
          {(found) => <OrganisationPanel organisation={found} mayEdit={owner} />}
        </Answered>
        {owner && (
          <section className="panel">
            <h2>{paper.title}</h2>
            <Answered asked={sheets}>{(found) => <PaperForm settings={found} />}</Answered>
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
              <Facts facts={{ [settings.version]: version, [settings.engine]: engine }} />
            )}
          </Answered>
          <a href={`${BASE_PATH}/openapi.json`}>{settings.apiDocument}</a>
        </section>
      </div>
    </>
  );
}

interface SettingsFormProps {
  readonly change: Pick<UseMutationResult, 'isPending' | 'isSuccess' | 'error'>;
  readonly onSave: () => unknown;
  readonly submit: string;
  /** Said afterwards. */
  readonly done: string;
  /** Nothing is different. */
  readonly isUnchanged?: boolean;
  readonly children: ReactNode;
}

/** A form that stays, and says what came of it. */
function SettingsForm(props: SettingsFormProps) {
  const { change, onSave, submit, done, isUnchanged = false, children } = props;
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    onSave();
  };
  return (
    <form className="form" onSubmit={onSubmit}>
      {children}
      <ChangeResult change={change} done={done} />
      <Button type="submit" loading={change.isPending} disabled={isUnchanged}>
        {submit}
      </Button>
    </form>
  );
}

const NOTHING = { current: '', next: '' };

/** Changes the password of the signed-in account. */
function ChangePassword() {
  const { settings, accounts } = useTexts();
  const { draft, setDraft, field } = useDraft(NOTHING);
  const change = useChange('POST /password', 'access-tokens', 'organisation');
  return (
    <section className="panel">
      <h2>{settings.password}</h2>
      <SettingsForm
        change={change}
        onSave={() => change.mutate(draft, { onSuccess: () => setDraft(NOTHING) })}
        submit={settings.password}
        done={settings.changed}
      >
        <SecretInput
          label={settings.current}
          required
          autoComplete="current-password"
          {...field('current')}
        />
        <SecretInput
          label={settings.next}
          description={accounts.passwordHelp}
          required
          autoComplete="new-password"
          {...field('next')}
        />
      </SettingsForm>
    </section>
  );
}

interface OrganisationProps {
  readonly organisation: Organisation;
  readonly mayEdit: boolean;
}

const NAMES = ['ratePerSecond', 'burst', 'quotaPerMonth', 'keysMax'] as const;

/** The limits of section 8 as this organisation has them, and how they are changed. */
function LimitList({ organisation: { limits, keysMaxTo }, mayEdit }: OrganisationProps) {
  const { settings } = useTexts();
  const formats = useFormats();
  const labels = { ...settings, quotaPerMonth: settings.quota };
  const facts = NAMES.map((name) => [labels[name], formats.number(limits[name])]);
  return (
    <>
      <Facts facts={Object.fromEntries(facts)} />
      {mayEdit && keysMaxTo !== null && (
        <RaiseKeys key={limits.keysMax} keysMax={limits.keysMax} keysMaxTo={keysMaxTo} />
      )}
      {mayEdit && (
        <>
          <Text size="sm" mt="md">
            {settings.limitsChange}
          </Text>
          <Code block>ticketscan organisations edit --help</Code>
        </>
      )}
    </>
  );
}

function RaiseKeys({ keysMax, keysMaxTo }: { keysMax: number; keysMaxTo: number }) {
  const { settings } = useTexts();
  const { draft, field } = useDraft({ keysMax });
  const change = useChange('PATCH /organisation');
  return (
    <SettingsForm
      change={change}
      onSave={() => change.mutate(draft)}
      submit={settings.keysMaxSave}
      done={settings.saved}
      isUnchanged={draft.keysMax === keysMax}
    >
      <NumberField
        label={settings.keysMax}
        description={settings.keysMaxHelp(keysMaxTo)}
        min={keysMax}
        max={keysMaxTo}
        {...field('keysMax')}
      />
    </SettingsForm>
  );
}

/** The organisation's name and time zone; owners change them. */
function OrganisationPanel({ organisation, mayEdit }: OrganisationProps) {
  const { settings } = useTexts();
  const { name, timeZone = settings.timeZoneNone } = organisation;
  const facts = { [settings.venueName]: <Name>{name}</Name>, [settings.timeZone]: timeZone };
  return (
    <section className="panel">
      <h2>{settings.venue}</h2>
      {mayEdit ? <OrganisationForm organisation={organisation} /> : <Facts facts={facts} />}
    </section>
  );
}

function OrganisationForm({ organisation }: { organisation: Organisation }) {
  const { settings } = useTexts();
  const { name, timeZone = '' } = organisation;
  const { draft, field } = useDraft({ name, timeZone });
  const change = useChange('PATCH /organisation', 'sessions');
  const changes = {
    ...(draft.name !== name && { name: draft.name }),
    ...(draft.timeZone !== timeZone && { timeZone: draft.timeZone || null }),
  };
  return (
    <SettingsForm
      change={change}
      onSave={() => change.mutate(changes)}
      submit={settings.venueSave}
      done={settings.saved}
      isUnchanged={Object.keys(changes).length === 0}
    >
      <TextInput required label={settings.venueName} maxLength={100} {...field('name')} />
      <NativeSelect
        label={settings.timeZone}
        description={settings.timeZoneHelp}
        data={[{ value: '', label: settings.timeZoneNone }, ...zoneChoices(organisation.timeZone)]}
        {...field('timeZone')}
      />
    </SettingsForm>
  );
}

/** What is printed on the organisation's tickets; owners change it. */
function PaperForm({ settings }: { readonly settings: SheetSettings }) {
  const { paper, general } = useTexts();
  const { draft, field } = useDraft({
    language: settings.language ?? 'en',
    lines: settings.lines.join('\n'),
  });
  const [logo, setLogo] = useState<File | null>(null);
  const change = useChange('PATCH /organisation/sheets');
  const save = async () => {
    const lines = draft.lines.split('\n').filter((line) => line.trim() !== '');
    const { language } = draft;
    change.mutate({ language, lines, ...(logo && { logo: await base64Of(logo) }) });
  };
  return (
    <SettingsForm change={change} onSave={save} submit={general.save} done={paper.saved}>
      <NativeSelect
        label={paper.language}
        data={choicesOf(['en', 'de'], paper.languages)}
        {...field('language')}
      />
      <Textarea label={paper.lines} description={paper.linesHelp} rows={4} {...field('lines')} />
      {settings.logo && <Logo />}
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
    </SettingsForm>
  );
}

function Logo() {
  const { paper } = useTexts();
  const remove = useChange('PATCH /organisation/sheets');
  return (
    <>
      <img className="logo" src={addressOf('GET /organisation/logo.png')} alt={paper.logoNow} />
      <Button
        variant="default"
        loading={remove.isPending}
        onClick={() => remove.mutate({ logo: null })}
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
