import type { AuditEntry, Page } from '../../api/types.ts';
import { usePages } from '../../api/use-pages.ts';
import { StateBadge } from '../../components/badges.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Name } from '../../components/name.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Pager } from '../../components/pager.tsx';
import { Answered } from '../../components/states.tsx';
import { TimeText } from '../../components/time-text.tsx';
import { Unfolding } from '../../components/unfolding.tsx';
import { useFormats } from '../../i18n/formats.ts';
import { useTexts } from '../../i18n/language.tsx';
import { detailsText } from './details-text.ts';

const ENTRIES_PER_PAGE = 50;

/** The audit log: who changed what, and when; newest first. */
export function AuditTrailPage() {
  const { auditTrail } = useTexts();
  const columns = useColumns();
  const pages = usePages<AuditEntry, Page<AuditEntry>>(
    '/audit-trail',
    { limit: ENTRIES_PER_PAGE },
    'before',
  );
  return (
    <>
      <PageHead title={auditTrail.title} />
      <p className="dimmed">{auditTrail.help}</p>
      <Answered asked={pages}>
        {({ items }) => (
          <DataTable
            empty={auditTrail.empty}
            label={auditTrail.title}
            columns={columns}
            rows={items}
            keyOf={({ sequence }) => sequence}
          />
        )}
      </Answered>
      <Pager pages={pages} />
    </>
  );
}

function useColumns(): Column<AuditEntry>[] {
  const texts = useTexts();
  const formats = useFormats();
  const { auditTrail, acts } = texts;
  return [
    { title: auditTrail.when, cell: ({ at }) => <TimeText at={at} /> },
    {
      title: auditTrail.who,
      cell: ({ by, byKind }) =>
        byKind === 'command_line' ? (
          <StateBadge text={auditTrail.commandLine} good={undefined} />
        ) : (
          <Name>{by}</Name>
        ),
    },
    {
      title: auditTrail.what,
      cell: ({ act, subject }) => (
        <span className="two-lines">
          <span title={act}>{acts[act] ?? act}</span> <Name>{subject}</Name>
        </span>
      ),
    },
    {
      title: auditTrail.details,
      rest: true,
      cell: ({ details }) =>
        Object.keys(details).length > 0 && (
          <Unfolding>{detailsText(details, texts, formats)}</Unfolding>
        ),
    },
  ];
}
