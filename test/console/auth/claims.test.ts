import { describe, expect, it } from 'vitest';
import { userOf } from '../../../console/auth/claims.ts';
import { tokenInFragment } from '../../../console/auth/token-fragment.ts';

const token = (claims: unknown) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.x`;

describe('the user of a token', () => {
  it('has the subject, a name, the groups and the end', () => {
    expect(
      userOf(token({ sub: 'u1', email: 'a@b.example', 'cognito:groups': ['ops'], exp: 1_800_000_000 })),
    ).toEqual({
      id: 'u1',
      name: 'a@b.example',
      groups: ['ops'],
      expiresAt: 1_800_000_000_000,
    });
  });

  it('has one group if the claim is a text, as the server takes it', () => {
    expect(userOf(token({ sub: 'u1', groups: 'network operators' }))).toEqual({
      ...{ id: 'u1', name: 'u1', groups: ['network operators'], expiresAt: undefined },
    });
  });

  it('reads names outside of ASCII', () => {
    expect(userOf(token({ sub: 'u', name: 'Žofie 字' }))?.name).toBe('Žofie 字');
  });

  it.each([['', 'a', 'a.b.c', 'a.!.c', token({}), token({ sub: 1 }), token(null), token('text')]].flat())(
    'is undefined for %j',
    (text) => {
      expect(userOf(text)).toBeUndefined();
    },
  );

  it('ignores groups that are no texts', () => {
    expect(userOf(token({ sub: 'u', groups: [1, null, 'a'], 'cognito:groups': { a: 1 } }))?.groups).toEqual([
      'a',
    ]);
  });
});

describe('the token in the fragment', () => {
  it('is taken out, and the rest stays', () => {
    expect(tokenInFragment('#token=a.b-c_d')).toEqual({ token: 'a.b-c_d', rest: '' });
    expect(tokenInFragment('#token=x&row=3')).toEqual({ token: 'x', rest: '#row=3' });
  });

  it.each(['', '#', '#token=', '#other=1'])('is undefined in %j', (hash) => {
    expect(tokenInFragment(hash)).toBeUndefined();
  });
});
