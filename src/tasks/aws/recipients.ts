// The allowed recipients of the task `email` and of notifications. The default is none: a scheduler that sends to any address
// is an open relay for its users.
import { z } from 'zod';
import { formatValue } from '../../domain/validation/validation.ts';

export interface Recipients {
  /** The error message for an address that is not allowed. Undefined if it is allowed. */
  refusal(address: string): string | undefined;
}

/**
 * `ann@example.com`, `*@example.com`, `team-*@example.com`, `*@*.example.com`, `*@*`. In a domain, `*` is the whole domain or
 * the part before a dot: `*@*example.com` would match `evil-example.com`.
 */
export const recipientPattern = z
  .string()
  .regex(/^[A-Za-z0-9_'+.*-]{1,64}@(\*|(\*\.)?([A-Za-z0-9-]+\.)+[A-Za-z]{2,})$/, {
    error: ({ input }) =>
      `must be an address, or a pattern such as "*@example.com" or "*@*.example.com", got ${formatValue(input)}`,
  });

export function createRecipients(patterns: readonly string[]): Recipients {
  const allowed = patterns.map(expressionOf);
  return {
    refusal(address) {
      if (allowed.length === 0)
        return 'e-mail is off: the configuration allows no recipients (PUNCTUAL_EMAIL_RECIPIENTS)';
      if (allowed.some((expression) => expression.test(address))) return undefined;
      return `must be a recipient that the configuration allows (PUNCTUAL_EMAIL_RECIPIENTS), got ${formatValue(address)}`;
    },
  };
}

export const NO_RECIPIENTS = createRecipients([]);

/** An allowed address. Its form is checked first: one ASCII address without a display name. */
export const recipientSchema = (recipients: Recipients) =>
  z
    .email({ error: 'must be an e-mail address', abort: true })
    .max(320)
    .superRefine((address, context) => {
      const message = recipients.refusal(address);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    });

/** `*` matches characters of a plain address only: no second `@`, spaces, brackets or line breaks. */
function expressionOf(pattern: string): RegExp {
  const parts = pattern.split('*').map((part) => part.replace(/[.+]/g, '\\$&'));
  return new RegExp(`^${parts.join(`[A-Za-z0-9_'+.-]*`)}$`, 'i');
}
