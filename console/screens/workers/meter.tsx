// A share as a text and a bar.
interface MeterProps {
  readonly used: number;
  /** Undefined if it is not known. */
  readonly all: number | undefined;
}

export const Meter = ({ used, all }: MeterProps) => (
  <span className="meter">
    <span className="meter-text">
      {used.toLocaleString('en')}
      {all !== undefined && ` of ${all.toLocaleString('en')}`}
    </span>
    {all !== undefined && all > 0 && (
      <span className="meter-bar" aria-hidden="true">
        <span
          className={used >= all ? 'meter-full' : undefined}
          style={{ inlineSize: `${Math.min(100, (used / all) * 100)}%` }}
        />
      </span>
    )}
  </span>
);
