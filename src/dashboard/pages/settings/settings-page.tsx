import { BASE_PATH } from '../../api/base-path.ts';
import { useMay } from '../../api/session.tsx';
import type { Organisation, Server } from '../../api/types.ts';
import { useRead } from '../../api/use-api.ts';
import { PageHead } from '../../components/page-head.tsx';
import { Answered } from '../../components/states.tsx';
import { useTexts } from '../../i18n/language.tsx';
import { ChangePassword } from './change-password.tsx';
import { LimitList } from './limit-list.tsx';
import { TimeZoneForm } from './time-zone-form.tsx';

/** The own password, the organisation's limits, and what server this is. */
export function SettingsPage() {
  const { settings } = useTexts();
  const organisation = useRead<Organisation>('/organisation');
  const server = useRead<Server>('/server');
  const mayEdit = useMay('owner');
  return (
    <>
      <PageHead title={settings.title} />
      <div className="cards">
        <ChangePassword />
        <Answered asked={organisation}>
          {({ timeZone }) => <TimeZoneForm {...(timeZone && { timeZone })} mayEdit={mayEdit} />}
        </Answered>
        <section className="panel">
          <h2>{settings.limits}</h2>
          <p className="dimmed">{settings.limitsHelp}</p>
          <Answered asked={organisation}>{({ limits }) => <LimitList limits={limits} />}</Answered>
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
          <a href={`${BASE_PATH}/reference`}>{settings.reference}</a>
        </section>
      </div>
    </>
  );
}
