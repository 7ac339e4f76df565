// All keyboard shortcuts that are in effect.
import Modal from '@cloudscape-design/components/modal';
import { keysText } from '../keyboard/shortcut-keys.ts';
import { type Shortcut, shortcuts } from '../keyboard/shortcuts.ts';
import { useValue } from '../state/use-value.ts';

const IS_MAC = /Mac|iPhone|iPad/.test(navigator.userAgent);

export function KeyboardHelp({ visible, onDismiss }: { visible: boolean; onDismiss: () => void }) {
  const groups = Map.groupBy(useValue(shortcuts), ({ group = 'This page' }) => group);
  return (
    <Modal visible={visible} header="Keyboard" closeAriaLabel="Close" onDismiss={onDismiss}>
      <div className="keyboard-help">
        {[...groups].map(([group, list]) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {unique(list).map(({ keys, what }) => (
                <div key={keys}>
                  <dt>
                    {keysText(keys, IS_MAC)
                      .split(' ')
                      .map((key) => (
                        <kbd key={key}>{key}</kbd>
                      ))}
                  </dt>
                  <dd>{what}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Modal>
  );
}

const unique = (list: readonly Shortcut[]): Shortcut[] => [
  ...new Map(list.map((shortcut) => [shortcut.keys, shortcut])).values(),
];
