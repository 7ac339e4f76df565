// Small pictures of what the policies do: time runs from left to right.
import type { MISFIRE_POLICIES, OVERLAP_POLICIES } from '../../../../src/domain/jobs/policy-defaults.ts';
import { lengthText } from '../../../../src/domain/length-text.ts';
import type { JobDraft } from '../draft/job-draft.ts';
import { retryLine, retrySentence } from './retry-line-geometry.ts';

const WIDTH = 170;
const HEIGHT = 56;
const LINE = 44;

interface BarProps {
  readonly from: number;
  readonly to: number;
  readonly lane?: number;
}

const Bar = ({ from, to, lane = 0 }: BarProps) => (
  <rect className="mark-active" x={from} y={LINE - 14 - lane * 16} width={to - from} height={11} rx={2} />
);

/** A due time. */
const Due = ({ x }: { x: number }) => <path className="edit-due" d={`M${x} ${LINE}v6`} />;

/** A run that does not start. */
const Missed = ({ from, lane = 0 }: { from: number; lane?: number }) => {
  const y = LINE - 14 - lane * 16;
  return (
    <g>
      <rect className="edit-missed" x={from} y={y} width={24} height={11} rx={2} />
      <path className="edit-missed" d={`M${from + 9} ${y + 3}l6 5m0 -5l-6 5`} />
    </g>
  );
};

const Picture = ({ label, children }: { label: string; children: React.ReactNode }) => (
  <svg className="mark edit-policy" role="img" aria-label={label} viewBox={`0 0 ${WIDTH} ${HEIGHT}`}>
    <path className="edit-line" d={`M4 ${LINE}H${WIDTH - 4}`} />
    {children}
  </svg>
);

const OVERLAP: Record<(typeof OVERLAP_POLICIES)[number], { label: string; second: React.ReactNode }> = {
  skip: {
    label: 'The second run is skipped, because the first still runs.',
    second: <Missed from={70} lane={1} />,
  },
  queue: { label: 'The second run starts when the first has ended.', second: <Bar from={104} to={150} /> },
  allow: { label: 'The second run starts beside the first.', second: <Bar from={70} to={150} lane={1} /> },
};

export function OverlapPicture({ policy }: { policy: keyof typeof OVERLAP }) {
  const { label, second } = OVERLAP[policy];
  return (
    <Picture label={label}>
      <Bar from={16} to={100} />
      {second}
      <Due x={16} />
      <Due x={70} />
    </Picture>
  );
}

const MISFIRE: Record<(typeof MISFIRE_POLICIES)[number], { label: string; runs: readonly number[] }> = {
  runAll: { label: 'After the outage, every missed run starts.', runs: [98, 110, 122] },
  runOnce: { label: 'After the outage, one run stands for all that were missed.', runs: [98] },
  skip: { label: 'After the outage, the missed runs are skipped.', runs: [] },
};

const MISSED_DUES = [40, 62, 84];

export function MisfirePicture({ policy }: { policy: keyof typeof MISFIRE }) {
  const { label, runs } = MISFIRE[policy];
  return (
    <Picture label={label}>
      <rect className="edit-outage" x={30} y={10} width={62} height={LINE - 10} />
      <text x={61} y={22} textAnchor="middle">
        outage
      </text>
      <Bar from={12} to={22} />
      {runs.map((x) => (
        <Bar key={x} from={x} to={x + 10} />
      ))}
      <Bar from={146} to={156} />
      {[12, ...MISSED_DUES, 146].map((x) => (
        <Due key={x} x={x} />
      ))}
    </Picture>
  );
}

const RETRY_WIDTH = 480;

/** The attempts of an execution that keeps failing. */
export function RetryPicture({ retry }: { retry: JobDraft['retry'] }) {
  const line = retryLine(retry);
  if (!line) return null;
  const at = (x: number) => 16 + x * (RETRY_WIDTH - 64);
  return (
    <figure className="edit-retry">
      <svg className="mark" role="img" aria-label={retrySentence(line)} viewBox={`0 0 ${RETRY_WIDTH} 58`}>
        <path className="edit-line" d={`M4 36H${RETRY_WIDTH - 4}`} />
        {line.attempts.map(({ attempt, x, delayMs, afterMs }, index) => {
          const before = line.attempts[index - 1];
          const isWide = before !== undefined && at(x) - at(before.x) > 34;
          return (
            <g key={attempt} className="mark-bad">
              <title>{`Attempt ${attempt}, after ${lengthText(afterMs)}`}</title>
              <circle cx={at(x)} cy={36} r={7} />
              <text className="edit-attempt" x={at(x)} y={40} textAnchor="middle">
                {attempt}
              </text>
              {isWide && (
                <text x={(at(x) + at(before.x)) / 2} y={22} textAnchor="middle">
                  {lengthText(delayMs)}
                </text>
              )}
            </g>
          );
        })}
        {line.more > 0 && (
          <text x={RETRY_WIDTH - 4} y={22} textAnchor="end">
            {`+ ${line.more}`}
          </text>
        )}
      </svg>
      <figcaption>{retrySentence(line)}</figcaption>
    </figure>
  );
}
