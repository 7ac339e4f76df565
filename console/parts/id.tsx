// An id that can be copied.
import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';

export const Id = ({ id, what = 'id' }: { id: string; what?: string }) => (
  <span className="id">
    <CopyToClipboard
      variant="inline"
      textToCopy={id}
      copyButtonAriaLabel={`Copy ${what}`}
      copySuccessText="Copied"
      copyErrorText="The browser did not allow the copy"
    />
  </span>
);
