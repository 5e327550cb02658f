import { Alert, Button, FileInput, NativeSelect, Textarea } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ADMIN_PATH } from '../../api/base-path.ts';
import { base64Of } from '../../api/base64-of.ts';
import type { SheetSettings } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { Failure } from '../../components/states.tsx';
import { useTexts } from '../../i18n/language.tsx';

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
