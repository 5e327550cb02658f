import { Button } from '@mantine/core';
import { useState } from 'react';
import { PageHead } from '../../components/page-head.tsx';
import { useTexts } from '../../i18n/language.tsx';
import { setTabKey, tabKey } from '../../scanner/tab-key.ts';
import { KeyEntry } from './key-entry.tsx';
import { ScanDesk } from './scan-desk.tsx';

/** A gate in the browser: camera or hand scanner, large green and red. It scans with an API key, as any gate does. */
export function ScannerPage() {
  const { scanner } = useTexts();
  const [key, setKey] = useState(tabKey);
  const use = (chosen: string | undefined) => {
    setTabKey(chosen);
    setKey(chosen);
  };
  return (
    <>
      <PageHead title={scanner.title}>
        {key && (
          <Button variant="default" onClick={() => use(undefined)}>
            {scanner.keyForget}
          </Button>
        )}
      </PageHead>
      {key ? <ScanDesk apiKey={key} /> : <KeyEntry onKey={use} />}
    </>
  );
}
