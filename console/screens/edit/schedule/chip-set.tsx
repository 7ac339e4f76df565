// Several values to choose from, each a small button. One Tab stop: arrow keys move, Space chooses.
import { type KeyboardEvent, useRef, useState } from 'react';

export interface Chip<Value> {
  readonly value: Value;
  readonly text: string;
  /** The spoken name, if the text is short. */
  readonly name?: string;
}

interface ChipSetProps<Value> {
  readonly label: string;
  readonly chips: readonly Chip<Value>[];
  readonly chosen: readonly Value[];
  readonly onChange: (chosen: readonly Value[]) => void;
}

export function ChipSet<Value extends string | number>({
  label,
  chips,
  chosen,
  onChange,
}: ChipSetProps<Value>) {
  const group = useRef<HTMLDivElement>(null);
  const [current, setCurrent] = useState(0);
  const onKeyDown = (event: KeyboardEvent) => {
    const steps: Record<string, number> = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = (current + step + chips.length) % chips.length;
    setCurrent(next);
    group.current?.querySelectorAll<HTMLElement>('[role="checkbox"]')[next]?.focus();
  };
  const toggle = (value: Value) => {
    const next = chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value];
    // In the order of the chips. Values without a chip stay at the end.
    const order = chips.map((chip) => chip.value);
    onChange([...order.filter((one) => next.includes(one)), ...next.filter((one) => !order.includes(one))]);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would need a legend beside the label of the field
    <div ref={group} className="edit-chips" role="group" aria-label={label} onKeyDown={onKeyDown}>
      {chips.map(({ value, text, name }, index) => (
        // biome-ignore lint/a11y/useSemanticElements: an input cannot show its text inside
        <button
          key={value}
          type="button"
          role="checkbox"
          className="edit-chip"
          aria-checked={chosen.includes(value)}
          aria-label={name ?? text}
          tabIndex={index === current ? 0 : -1}
          onFocus={() => setCurrent(index)}
          onClick={() => toggle(value)}
        >
          {text}
        </button>
      ))}
    </div>
  );
}
