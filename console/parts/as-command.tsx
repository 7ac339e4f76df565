// "As curl" and "as CLI": the request behind the page, to copy.
import Box from '@cloudscape-design/components/box';
import ButtonDropdown from '@cloudscape-design/components/button-dropdown';
import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';
import Modal from '@cloudscape-design/components/modal';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import { cliFor, curlText, type RequestText } from './command-text.ts';

export interface Commands {
  readonly request: RequestText;
  /** The command line of Punctual, made with `cliText`. */
  readonly cli: string;
}

const TITLES = { curl: 'As curl', cli: 'As CLI' } as const;

export function AsCommand({ request, cli }: Commands) {
  const [shown, setShown] = useState<'curl' | 'cli'>();
  const text = shown === 'curl' ? curlText(request, location.origin) : cliFor(cli, location.origin);
  return (
    <>
      <ButtonDropdown
        ariaLabel="As command: this page with curl or the CLI"
        items={[
          { id: 'curl', text: TITLES.curl },
          { id: 'cli', text: TITLES.cli },
        ]}
        onItemClick={({ detail }) => setShown(detail.id === 'curl' ? 'curl' : 'cli')}
      >
        As command
      </ButtonDropdown>
      <Modal
        visible={shown !== undefined}
        header={shown && TITLES[shown]}
        closeAriaLabel="Close"
        onDismiss={() => setShown(undefined)}
        size="large"
      >
        <SpaceBetween size="s">
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region needs the focus */}
          <pre className="command" tabIndex={0}>
            {text}
          </pre>
          <CopyToClipboard
            variant="button"
            textToCopy={text}
            copyButtonText="Copy"
            copySuccessText="Copied"
            copyErrorText="The browser did not allow the copy"
          />
          <Box color="text-body-secondary">
            <code>PUNCTUAL_TOKEN</code> is an access token.
          </Box>
        </SpaceBetween>
      </Modal>
    </>
  );
}
