import { Button, Code, FileInput, NativeSelect, Switch, Text, Textarea } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { NAME_CHARACTERS_MAX } from '../../core/limits.ts';
import {
  addressOf,
  BASE_PATH,
  type InputOf,
  type Organisation,
  type Route,
  type SheetSettings,
} from '../api/http.ts';
import { useChange, useMay, useRead } from '../api/use-api.tsx';
import { ChangeButton } from '../components/dialogs.tsx';
import { choicesOf, NumberField, SecretInput, useDraft } from '../components/fields.tsx';
import { FormFailure } from '../components/form-failure.tsx';
import { Answered, Done } from '../components/page.tsx';
import { PageHead } from '../components/page-head.tsx';
import { PeopleText } from '../components/people-text.tsx';
import { Facts } from '../components/ticket-values.tsx';
import { Name } from '../components/values.tsx';
import { useDeskTexts } from '../i18n/desk-language.ts';
import { zoneChoices } from '../i18n/formats.ts';
import { useFormats } from '../i18n/language.tsx';

/** The own password, the organisation's limits, and what server this is. */
export function SettingsPage() {
  const { navigation, settings, paper } = useDeskTexts();
  const owner = useMay('owner');
  const sheets = useRead('GET /organisation/sheets');
  const organisation = useRead('GET /organisation');
  const server = useRead('GET /server');
  return (
    <>
      <PageHead title={navigation.settings} />
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
              <Facts
                facts={{ [settings.version]: version, [settings.engine]: settings.engines[engine] }}
              />
            )}
          </Answered>
          <a href={`${BASE_PATH}/openapi.json`}>{settings.apiDocument}</a>
        </section>
      </div>
    </>
  );
}

interface SettingsFormProps<R extends Route> {
  readonly route: R;
  readonly input: InputOf<R> | (() => Promise<InputOf<R>>);
  /** Other kinds that are stale afterwards. */
  readonly alsoStale?: readonly string[];
  readonly onDone?: () => void;
  readonly submit: string;
  /** Said afterwards. */
  readonly done: string;
  /** Nothing is different. */
  readonly isUnchanged?: boolean;
  readonly children: ReactNode;
}

/** A form that stays, and says what came of it. */
function SettingsForm<R extends Route>(props: SettingsFormProps<R>) {
  const { route, input, alsoStale = [], onDone, submit, done, isUnchanged = false } = props;
  const change = useChange(route, ...alsoStale);
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault();
    const sent = typeof input === 'function' ? await input() : input;
    change.mutate(sent, { onSuccess: () => onDone?.() });
  };
  return (
    <form className="form" onSubmit={(event) => void onSubmit(event)}>
      {props.children}
      {change.error && <FormFailure error={change.error} />}
      {change.isSuccess && <Done text={done} />}
      <Button type="submit" loading={change.isPending} disabled={isUnchanged}>
        {submit}
      </Button>
    </form>
  );
}

const NOTHING = { current: '', next: '' };

/** Changes the password of the signed-in account. */
function ChangePassword() {
  const { settings, accounts } = useDeskTexts();
  const { draft, setDraft, field } = useDraft(NOTHING);
  return (
    <section className="panel">
      <h2>{settings.password}</h2>
      <SettingsForm
        route="POST /password"
        input={draft}
        alsoStale={['access-tokens', 'organisation']}
        onDone={() => setDraft(NOTHING)}
        submit={settings.password}
        done={settings.changed}
      >
        <SecretInput
          label={settings.current}
          autoComplete="current-password"
          {...field('current')}
        />
        <SecretInput
          label={settings.next}
          description={accounts.passwordHelp}
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
  const { settings } = useDeskTexts();
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
  const { settings } = useDeskTexts();
  const { draft, field } = useDraft({ keysMax });
  return (
    <SettingsForm
      route="PATCH /organisation"
      input={draft}
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
  const { settings } = useDeskTexts();
  const { name, timeZone = settings.timeZoneNone, insideFrom } = organisation;
  const facts = {
    [settings.venueName]: <Name>{name}</Name>,
    [settings.timeZone]: timeZone,
    [settings.insideFrom]: insideFrom === 'never' ? settings.insideNever : insideFrom,
  };
  return (
    <section className="panel">
      <h2>{settings.venue}</h2>
      {mayEdit ? <OrganisationForm organisation={organisation} /> : <Facts facts={facts} />}
    </section>
  );
}

/** The quarters of an hour of a day, `00:00` to `23:45`. */
const QUARTERS = Array.from({ length: 96 }, (_, quarter) =>
  new Date(quarter * 15 * 60_000).toISOString().slice(11, 16),
);

function OrganisationForm({ organisation }: { organisation: Organisation }) {
  const { settings } = useDeskTexts();
  const { name, timeZone = '', insideFrom, scannersFindGuests } = organisation;
  const { draft, setDraft, field } = useDraft({ name, timeZone, insideFrom, scannersFindGuests });
  const changes = {
    ...(draft.name !== name && { name: draft.name }),
    ...(draft.timeZone !== timeZone && { timeZone: draft.timeZone || null }),
    ...(draft.insideFrom !== insideFrom && { insideFrom: draft.insideFrom }),
    ...(draft.scannersFindGuests !== scannersFindGuests && {
      scannersFindGuests: draft.scannersFindGuests,
    }),
  };
  return (
    <SettingsForm
      route="PATCH /organisation"
      input={changes}
      alsoStale={['sessions', 'statistics', 'events']}
      submit={settings.venueSave}
      done={settings.saved}
      isUnchanged={Object.keys(changes).length === 0}
    >
      <PeopleText
        required
        label={settings.venueName}
        charactersMax={NAME_CHARACTERS_MAX}
        {...field('name')}
      />
      <NativeSelect
        label={settings.timeZone}
        description={settings.timeZoneHelp}
        data={[{ value: '', label: settings.timeZoneNone }, ...zoneChoices(organisation.timeZone)]}
        {...field('timeZone')}
      />
      <NativeSelect
        label={settings.insideFrom}
        description={settings.insideFromHelp}
        data={[{ value: 'never', label: settings.insideNever }, ...QUARTERS]}
        {...field('insideFrom')}
      />
      <Switch
        label={settings.scannersFindGuests}
        description={settings.scannersFindGuestsHelp}
        checked={draft.scannersFindGuests}
        onChange={(change) =>
          setDraft({ ...draft, scannersFindGuests: change.currentTarget.checked })
        }
      />
    </SettingsForm>
  );
}

/** What is printed on the organisation's tickets; owners change it. */
function PaperForm({ settings }: { readonly settings: SheetSettings }) {
  const { paper, general } = useDeskTexts();
  const { draft, field } = useDraft({
    language: settings.language ?? 'en',
    lines: settings.lines.join('\n'),
  });
  const [logo, setLogo] = useState<File | null>(null);
  const input = async () => {
    const lines = draft.lines.split('\n').filter((line) => line.trim() !== '');
    return { language: draft.language, lines, ...(logo && { logo: await base64Of(logo) }) };
  };
  return (
    <SettingsForm
      route="PATCH /organisation/sheets"
      input={input}
      submit={general.save}
      done={paper.saved}
    >
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
  const { paper } = useDeskTexts();
  return (
    <>
      <img className="logo" src={addressOf('GET /organisation/logo.png')} alt={paper.logoNow} />
      <ChangeButton variant="default" route="PATCH /organisation/sheets" input={{ logo: null }}>
        {paper.removeLogo}
      </ChangeButton>
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
