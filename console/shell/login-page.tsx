// The page without a user. With OpenID Connect it leads to the login. In local mode it explains how to get a link.
import Box from '@cloudscape-design/components/box';
import Button from '@cloudscape-design/components/button';
import Container from '@cloudscape-design/components/container';
import CopyToClipboard from '@cloudscape-design/components/copy-to-clipboard';
import Header from '@cloudscape-design/components/header';
import SpaceBetween from '@cloudscape-design/components/space-between';
import { useEffect } from 'react';
import { type AuthState, useSession } from '../auth/auth.ts';
import { useValue } from '../state/use-value.ts';

const COMMAND = 'npx punctual token me --link';
const COMMAND_OF_CHECKOUT = 'npm run -s token -- me --link';

const TITLES: Readonly<Record<Exclude<AuthState, 'loggedIn'>, string>> = {
  none: 'Log in to Punctual',
  expired: 'Your login has expired',
  refused: 'The API refused your login',
  loggedOut: 'You are logged out',
};

export function LoginPage() {
  const { auth } = useSession();
  const state = useValue(auth.state);
  // A user who logged out is not logged in again at once.
  const beginsAtOnce = state === 'none' || state === 'expired';
  useEffect(() => {
    document.title = 'Log in – Punctual';
    if (beginsAtOnce) void auth.login();
  }, [auth, beginsAtOnce]);
  if ((auth.kind === 'oidc' && beginsAtOnce) || state === 'loggedIn') return null;
  return (
    <main className="start-page">
      <Container header={<Header variant="h1">{TITLES[state]}</Header>}>
        {auth.kind === 'oidc' ? (
          <SpaceBetween size="s">
            {state === 'refused' && (
              <Box variant="p">
                The login succeeded, but the API answered 401 twice. Its issuer and audience may be others
                than those of the console.
              </Box>
            )}
            <Button variant="primary" onClick={() => void auth.login()}>
              Log in
            </Button>
          </SpaceBetween>
        ) : (
          <LocalHelp />
        )}
      </Container>
    </main>
  );
}

function LocalHelp() {
  return (
    <SpaceBetween size="s">
      <Box variant="p">
        The server prints a link with a token when it starts. This command prints another one, valid for 12
        hours:
      </Box>
      <Command text={COMMAND} />
      <Box variant="p">In a checkout of Punctual:</Box>
      <Command text={COMMAND_OF_CHECKOUT} />
      <Box variant="p" color="text-body-secondary">
        Open the link in this tab to come back to this page. With <code>--operator</code>, the user sees the
        jobs of all users and the workers.
      </Box>
    </SpaceBetween>
  );
}

const Command = ({ text }: { text: string }) => (
  <pre className="command command-line">
    <CopyToClipboard
      variant="inline"
      textToCopy={text}
      copyButtonAriaLabel="Copy the command"
      copySuccessText="Copied"
      copyErrorText="The browser did not allow the copy"
    />
  </pre>
);
