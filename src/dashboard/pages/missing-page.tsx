import { PageHead } from '../components/page-head.tsx';
import { Empty } from '../components/states.tsx';
import { useTexts } from '../i18n/language.tsx';

/** For an address within the dashboard that leads nowhere. */
export function MissingPage() {
  const texts = useTexts();
  return (
    <>
      <PageHead title={texts.missing.title} />
      <Empty text={texts.missing.text} />
    </>
  );
}
