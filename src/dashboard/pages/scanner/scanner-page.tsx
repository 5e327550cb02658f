import { Button } from '@mantine/core';
import { useState } from 'react';
import { mayScan } from '../../../core/administrative-records.ts';
import { useSession } from '../../api/session.tsx';
import { Name } from '../../components/name.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { useTexts } from '../../i18n/language.tsx';
import { setTabKey, tabKey } from '../../scanner/tab-key.ts';
import { KeyEntry } from './key-entry.tsx';
import { ScanDesk } from './scan-desk.tsx';

/**
 * A gate in the browser: camera or hand scanner, large green and red. It scans as the account that is signed in, where that may, or
 * with an API key, as any gate does.
 */
export function ScannerPage() {
  const { scanner } = useTexts();
  const { account, phone } = useSession();
  const asAccount = mayScan(account.role);
  const [key, setKey] = useState(tabKey);
  const [entering, setEntering] = useState(!asAccount);
  const use = (chosen: string | undefined) => {
    setTabKey(chosen);
    setKey(chosen);
    setEntering(chosen === undefined && !asAccount);
  };
  const entersKey = key === undefined && entering;
  return (
    <>
      <PageHead title={scanner.title}>
        {key !== undefined && (
          <Button variant="default" onClick={() => use(undefined)}>
            {scanner.keyForget}
          </Button>
        )}
        {key === undefined && asAccount && account.role !== 'scanner' && (
          <Button variant="default" onClick={() => setEntering(!entering)}>
            {entering ? scanner.asAccount : scanner.withKey}
          </Button>
        )}
      </PageHead>
      {!entersKey && (
        <p className="dimmed">
          {key === undefined ? (
            <>
              {scanner.scansAs} <Name>{phone ? `${account.name} (${phone})` : account.name}</Name>
            </>
          ) : (
            scanner.scansWithKey
          )}
        </p>
      )}
      {entersKey ? <KeyEntry onKey={use} /> : <ScanDesk apiKey={key ?? null} key={key ?? ''} />}
    </>
  );
}
