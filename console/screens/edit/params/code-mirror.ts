// The editor of JSON. It lives in a shadow root, because there it adds its styles as style sheets, not as style elements, which the
// content security policy refuses. It is loaded when it is first shown.
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { bracketMatching, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view';

export interface EditorOptions {
  readonly text: string;
  readonly label: string;
  /** The number of lines that are shown before anything is typed. */
  readonly minLines: number;
  readonly onChange: (text: string) => void;
}

export interface Editor {
  setText(text: string): void;
  destroy(): void;
}

type Highlighter = Parameters<typeof syntaxHighlighting>[0];

/** The names of tokens become classes, and the theme has their colours. */
const highlighter: Highlighter = {
  style: (tags) => tags.map((tag) => `tok-${String(tag).replace(/\W+/g, '-')}`).join(' '),
};

const theme = (minLines: number) =>
  EditorView.theme({
    '&': { color: 'var(--text)', fontSize: '12.5px', backgroundColor: 'transparent' },
    '&.cm-focused': { outline: 'none' },
    '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '20px', maxHeight: '420px' },
    '.cm-content': { minHeight: `${minLines * 20 + 8}px`, caretColor: 'var(--text)' },
    '.cm-cursor': { borderLeftColor: 'var(--text)' },
    '.cm-gutters': { backgroundColor: 'transparent', border: 'none', color: 'var(--text-quiet)' },
    '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
      backgroundColor: 'var(--edit-selection) !important',
    },
    '.cm-matchingBracket': { backgroundColor: 'var(--edit-selection)' },
    '.tok-propertyName': { color: 'var(--mark-active)' },
    '.tok-string': { color: 'var(--mark-good)' },
    '.tok-number, .tok-bool, .tok-null': { color: 'var(--mark-late)' },
  });

export function mountEditor(host: HTMLElement, options: EditorOptions): Editor {
  const place = document.createElement('div');
  host.replaceChildren(place);
  const root = place.attachShadow({ mode: 'open' });
  const view = new EditorView({
    parent: root,
    root,
    state: EditorState.create({
      doc: options.text,
      extensions: [
        lineNumbers(),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        json(),
        syntaxHighlighting(highlighter),
        EditorView.lineWrapping,
        theme(options.minLines),
        // Tab leaves the editor, so that the keyboard reaches the rest of the form.
        keymap.of([...defaultKeymap, ...historyKeymap]),
        EditorView.contentAttributes.of({ 'aria-label': options.label, 'aria-multiline': 'true' }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) options.onChange(update.state.doc.toString());
        }),
      ],
    }),
  });
  return {
    setText(text) {
      if (text === view.state.doc.toString()) return;
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
    },
    destroy: () => view.destroy(),
  };
}
