// The question before a link for another user replaces the session of this tab.
import { useState } from 'react';
import { useSession } from '../auth/auth.ts';
import { Confirm } from '../parts/confirm.tsx';

export function OfferedSession() {
  const { auth } = useSession();
  const [offered, setOffered] = useState(() => auth.offered?.());
  if (!offered) return null;
  const user = auth.user()?.id;
  return (
    <Confirm
      title={`Switch to the user ${offered.userId}?`}
      confirmText="Switch user"
      onConfirm={offered.accept}
      onDismiss={() => setOffered(undefined)}
    >
      You are logged in as {user}. The link that opened this page has a token of {offered.userId}. Switch only
      if you asked for it: what you create then belongs to {offered.userId}.
    </Confirm>
  );
}
