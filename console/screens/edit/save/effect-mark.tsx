// The effect of an edit on the next 24 hours as a picture: runs before and after.
import { lengthText } from '../../../../src/domain/length-text.ts';
import { Figure } from '../../../marks/figure.tsx';
import { px } from '../../../marks/scales.ts';
import { instantText, timeText } from '../../../parts/time-text.ts';
import { type Effect, effectSentence } from './effect.ts';

const WIDTH = 640;
const LEFT = 52;
const HEIGHT = 84;

/** More marks than pixels cannot be told apart. */
const MAX_DRAWN = 600;

const drawn = (times: readonly number[]): readonly number[] => {
  const step = Math.ceil(times.length / MAX_DRAWN);
  return step <= 1 ? times : times.filter((_, index) => index % step === 0);
};

export function EffectMark({ effect, zone }: { effect: Effect; zone: string }) {
  const { from, to, kept, added, removed } = effect;
  const x = (time: number) => px(LEFT + ((time - from) / (to - from)) * (WIDTH - LEFT - 8));
  const hours = [0, 0.25, 0.5, 0.75, 1].map((part) => from + part * (to - from));
  const time = (at: number) => timeText(at, zone).time.slice(0, 5);
  const row = (times: readonly number[], y: number, name: string) =>
    drawn(times).map((at) => <path key={at} className={name} d={`M${x(at)} ${y}v16`} />);
  return (
    <Figure
      what="changed runs"
      table={() => ({
        head: ['Time', 'Change'],
        rows: [
          ...added.map((at) => [at, 'new'] as const),
          ...removed.map((at) => [at, 'no longer starts'] as const),
        ]
          .sort(([a], [b]) => a - b)
          .slice(0, MAX_DRAWN)
          .map(([at, change]) => [instantText(at, zone), change]),
      })}
    >
      {/* On a phone the picture keeps a legible size and scrolls. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region needs the focus */}
      <section className="mark-wide" tabIndex={0} aria-label="Runs before and after">
        <svg
          className="mark edit-effect"
          role="img"
          aria-label={effectSentence(effect)}
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        >
          <text x={0} y={22}>
            Before
          </text>
          <text x={0} y={50}>
            After
          </text>
          <path className="edit-line" d={`M${LEFT} 62H${WIDTH - 8}`} />
          {row(kept, 10, 'edit-kept')}
          {row(removed, 10, 'edit-removed')}
          {row(kept, 38, 'edit-kept')}
          {row(added, 38, 'edit-added')}
          {hours.map((at, index) => (
            <text
              key={at}
              x={x(at)}
              y={78}
              textAnchor={index === 0 ? 'start' : index === hours.length - 1 ? 'end' : 'middle'}
            >
              {index === 0 ? 'now' : `${time(at)} (+${lengthText(at - from)})`}
            </text>
          ))}
        </svg>
      </section>
    </Figure>
  );
}
