import type { Statistics } from '../../api/types.ts';
import { useRead } from '../../api/use-api.ts';
import { PageHead } from '../../components/page-head.tsx';
import { RefusalHint } from '../../components/refusal-hint.tsx';
import { Answered } from '../../components/states.tsx';
import { useTexts } from '../../i18n/language.tsx';
import { LiveState } from '../../live/live-state.tsx';
import { useLiveFeed } from '../../live/use-live-feed.ts';
import { GateList } from './gate-list.tsx';
import { LatestScans } from './latest-scans.tsx';
import { MinuteFigure } from './minute-figure.tsx';
import { PeopleInside } from './people-inside.tsx';
import { ReasonList } from './reason-list.tsx';
import { Totals } from './totals.tsx';

const REFRESH_MS = 2000;

/** Whether the gates work: scans a minute, admitted and denied, by gate, as it happens. */
export function OverviewPage() {
  const { overview } = useTexts();
  const statistics = useRead<Statistics>('/statistics?minutes=60', { everyMs: REFRESH_MS });
  const feed = useLiveFeed();
  return (
    <>
      <PageHead title={overview.title}>
        <LiveState feed={feed} />
      </PageHead>
      <RefusalHint />
      <Answered asked={statistics}>
        {(answer) => (
          <div className="overview">
            <Totals statistics={answer} />
            <MinuteFigure minutes={answer.minutes} />
            <PeopleInside />
            <GateList gates={answer.byGate} />
            <ReasonList reasons={answer.byReason} />
            <LatestScans feed={feed} />
          </div>
        )}
      </Answered>
    </>
  );
}
