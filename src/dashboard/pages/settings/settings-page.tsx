import { BASE_PATH } from '../../api/base-path.ts';
import { useMay } from '../../api/session.tsx';
import type { Organisation, Server, SheetSettings } from '../../api/types.ts';
import { useRead } from '../../api/use-api.ts';
import { PageHead } from '../../components/page-head.tsx';
import { Answered } from '../../components/states.tsx';
import { useTexts } from '../../i18n/language.tsx';
import { ChangePassword } from './change-password.tsx';
import { LimitList } from './limit-list.tsx';
import { OrganisationForm } from './organisation-form.tsx';
import { PaperSettings } from './paper-settings.tsx';

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
