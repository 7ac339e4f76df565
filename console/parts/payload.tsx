// Params, a result or an error, as text. Never as HTML.
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useState } from 'react';
import { payloadText } from './payload-text.ts';

interface PayloadProps {
  /** Names the payload in labels and in the file: "result". */
  readonly what: string;
  readonly value: unknown;
}

export function Payload({ what, value }: PayloadProps) {
  const [unfolded, setUnfolded] = useState(false);
  const { text, lines, folded, isCut, whole } = payloadText(value);
  return (
    <SpaceBetween size="xs">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region needs the focus */}
      <section className="payload" tabIndex={0} aria-label={what}>
        <pre>{unfolded ? text : (folded ?? text)}</pre>
      </section>
      <SpaceBetween direction="horizontal" size="s">
        {folded !== undefined && (
          <Button variant="inline-link" onClick={() => setUnfolded(!unfolded)}>
            {unfolded ? 'Show less' : `Show all ${lines} lines`}
          </Button>
        )}
        {isCut ? (
          <>
            <Button variant="inline-link" onClick={() => download(what, whole)}>
              Download {what}
            </Button>
            <Box color="text-body-secondary">Only the first 64 KB are shown.</Box>
          </>
        ) : (
          <CopyToClipboard
            variant="icon"
            textToCopy={whole}
            copyButtonAriaLabel={`Copy ${what}`}
            copySuccessText="Copied"
            copyErrorText="The browser did not allow the copy"
          />
        )}
      </SpaceBetween>
    </SpaceBetween>
  );
}

function download(what: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = `${what}.json`;
  link.click();
  URL.revokeObjectURL(address);
}
