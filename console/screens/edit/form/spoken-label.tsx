// The spoken name of a control that shares its field with others. The label of the field would name them all alike.
import { useId } from 'react';

/** `labelledby` goes to the control, and `label` anywhere beside it. */
export function useSpokenLabel(text: string): {
  readonly labelledby: string;
  readonly label: React.ReactNode;
} {
  const id = useId();
  return {
    labelledby: id,
    label: (
      <span id={id} hidden>
        {text}
      </span>
    ),
  };
}
