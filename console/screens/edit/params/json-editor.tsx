// A field for JSON: the editor, and the reason if the text is not JSON.
import { useEffect, useId, useRef, useState } from 'react';
import { isSameValue } from '../../../../src/domain/value-changes.ts';
import { useBrokenJson } from '../form/broken-json.ts';
import type { Editor } from './code-mirror.ts';
import { jsonText, parseJson } from './json-text.ts';

interface JsonEditorProps {
  readonly label: string;
  readonly value: unknown;
  /** Called with each text that is JSON. An empty text is undefined. */
  readonly onChange: (value: unknown) => void;
  readonly minLines?: number;
  /** Undefined if the value is allowed. */
  readonly check?: (value: unknown) => string | undefined;
}

export function JsonEditor({ label, value, onChange, minLines = 4, check }: JsonEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const editor = useRef<Editor>(undefined);
  const [text, setText] = useState(() => jsonText(value));
  const parsed = parseJson(text);
  const error = parsed.error ?? check?.(parsed.value);
  const id = useId();
  useBrokenJson(id, error === undefined ? undefined : `${label} ${error}`);

  // The editor calls back long after the render in which it was made.
  const latest = useRef({ onChange, check, text });
  latest.current = { onChange, check, text };

  useEffect(() => {
    let isGone = false;
    import('./code-mirror.ts').then(({ mountEditor }) => {
      if (isGone || !host.current) return;
      editor.current = mountEditor(host.current, {
        label,
        minLines,
        text: latest.current.text,
        onChange: (next) => {
          setText(next);
          const found = parseJson(next);
          if (found.error === undefined && latest.current.check?.(found.value) === undefined)
            latest.current.onChange(found.value);
        },
      });
    });
    return () => {
      isGone = true;
      editor.current?.destroy();
      editor.current = undefined;
    };
  }, [label, minLines]);

  // A value from outside, such as another task or a restored draft, replaces the text. A text of the same value stays as it is.
  useEffect(() => {
    const now = parseJson(latest.current.text);
    if (now.error !== undefined || isSameValue(now.value, value)) return;
    setText(jsonText(value));
    editor.current?.setText(jsonText(value));
  }, [value]);

  return (
    <div>
      <div
        ref={host}
        className={error === undefined ? 'edit-json' : 'edit-json edit-json-invalid'}
        style={{ minBlockSize: minLines * 20 + 18 }}
      />
      <div className="edit-json-error" role="alert">
        {error === undefined ? '' : `${label} ${error}`}
      </div>
    </div>
  );
}
