import { Alert, Button, Code, NumberInput, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { BASE_PATH } from '../../api/base-path.ts';
import { useMay } from '../../api/session.tsx';
import type { Organisation, Server, SheetSettings } from '../../api/types.ts';
import { useChange, useRead } from '../../api/use-api.ts';
import { PageHead } from '../../components/page-head.tsx';
import { SecretInput } from '../../components/secret-input.tsx';
import { Answered, Failure } from '../../components/states.tsx';
import { useFormats } from '../../i18n/formats.ts';
import { useTexts } from '../../i18n/language.tsx';
import { OrganisationForm, PaperSettings } from './organisation.tsx';

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
