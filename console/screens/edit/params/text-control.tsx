// A text field whose value may be a reference to a secret: `{ "$secret": "name" }`.
import Button from '@cloudscape-design/components/button';
import Input from '@cloudscape-design/components/input';
import Textarea from '@cloudscape-design/components/textarea';
import { useSpokenLabel } from '../form/spoken-label.tsx';
import { type ScalarKind, secretOf, textOfValue, valueOfText } from './schema-field.ts';

interface TextControlProps {
  readonly kind: ScalarKind;
  readonly label: string;
  readonly value: unknown;
  readonly onChange: (value: unknown) => void;
  readonly isLong?: boolean;
}

export function TextControl({ kind, label, value, onChange, isLong = false }: TextControlProps) {
  const secret = secretOf(value);
  const isSecret = secret !== undefined;
  const spoken = useSpokenLabel(isSecret ? `${label}: name of the secret` : label);
  const text = isSecret ? secret : textOfValue(value);
  const change = (next: string) => onChange(isSecret ? { $secret: next } : valueOfText(kind, next));
  return (
    <div className="edit-text-control">
      {spoken.label}
      {isLong && !isSecret ? (
        <Textarea
          ariaLabelledby={spoken.labelledby}
          value={text}
          rows={6}
          spellcheck={false}
          onChange={({ detail }) => change(detail.value)}
        />
      ) : (
        <Input
          ariaLabelledby={spoken.labelledby}
          value={text}
          spellcheck={false}
          inputMode={kind === 'number' || kind === 'integer' ? 'decimal' : 'text'}
          onChange={({ detail }) => change(detail.value)}
          {...(isSecret && { placeholder: 'Name of the secret' })}
        />
      )}
      {kind === 'text' && (
        <Button
          variant="icon"
          iconName={isSecret ? 'lock-private' : 'unlocked'}
          ariaLabel={isSecret ? `${label}: type a value instead of a secret` : `${label}: use a secret`}
          ariaExpanded={isSecret}
          onClick={() => onChange(isSecret ? text || undefined : { $secret: text })}
        />
      )}
    </div>
  );
}
