/** The same file and the same tokens, at a real kube-apiserver and at the hub. */
import assert from 'node:assert/strict'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { compileAuthentication } from '../../lib/hub/apiserver/authentication/jwt/compile-jwt.ts'
import { cluster } from '../bed/cluster.ts'
import { eventually } from '../bed/eventually.ts'
import { hub } from '../bed/hub.ts'
import { kubectlEnding } from '../bed/kubectl.ts'
import { oidcProvider } from '../bed/oidc-provider.ts'
import { endWithTest } from '../bed/teardown.ts'
import { disposableDir } from '../bed/temp-dir.ts'

const { path: folder } = endWithTest(disposableDir())
const provider = await oidcProvider()
const byMail = await oidcProvider()
const file = join(folder, 'authentication.json')

const expressions = {
  issuer: {
    ...{ url: provider.issuer, audiences: ['keelson', 'console'], audienceMatchPolicy: 'MatchAny' },
    certificateAuthority: provider.ca,
  },
  claimValidationRules: [
    { claim: 'hd', requiredValue: 'example.com' },
    { expression: 'claims.exp - claims.iat <= 86400', message: 'lives too long' },
  ],
  claimMappings: {
    username: { expression: "claims.sub + '@' + claims.hd" },
    groups: { expression: 'claims.groups' },
    uid: { expression: 'string(claims.number)' },
    extra: [
      { key: 'example.com/team', valueExpression: "claims.?team.orValue('')" },
      { key: 'example.com/kind', valueExpression: "has(claims.robot) && claims.robot ? 'robot' : 'person'" },
    ],
  },
  userValidationRules: [
    { expression: "!user.username.startsWith('system:')", message: 'a name of the system' },
    { expression: "user.groups.all(g, !g.startsWith('system:'))", message: 'a group of the system' },
    { expression: "!('example.com/kind' in user.extra) || user.extra['example.com/kind'] != ['robot']" },
  ],
}

const claims = {
  issuer: { url: byMail.issuer, audiences: ['keelson'], certificateAuthority: byMail.ca },
  claimMappings: {
    username: { claim: 'email', prefix: 'mail:' },
    groups: { claim: 'roles', prefix: 'mail:' },
    uid: { claim: 'sub' },
  },
}

const content = JSON.stringify({
  apiVersion: 'apiserver.config.k8s.io/v1',
  kind: 'AuthenticationConfiguration',
  jwt: [expressions, claims],
})
writeFileSync(file, content)
const [theirs, ours] = await Promise.all([
  cluster({ apiserverFlags: [`--authentication-config=${file}`] }),
  hub({ flags: ['--authentication-config', file] }),
])

/** What a server says of a token, by a TokenReview: the user, or that there is none. */
const reviewed = async (kubeconfig: string, token: string): Promise<{ user?: object; error?: string }> => {
  const spec = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } }
  const { stdout, stderr } = await kubectlEnding(kubeconfig, ['create', '-f', '-', '-o', 'json'], {
    input: JSON.stringify(spec),
  })
  const { status } = JSON.parse(stdout || assert.fail(stderr))
  const { authenticated = false, user, error = '' } = status
  return authenticated ? { user: { ...user, groups: user.groups?.toSorted() } } : { error: String(error) }
}

const jane = { sub: 'jane', hd: 'example.com', groups: ['devs', ''], number: 7, jti: 'fixed' }
const mail = { sub: 'jane', email: 'jane@example.com', jti: 'fixed' }

test('both have fetched the keys of the issuers', async () => {
  for (const { kubeconfig } of [theirs, ours])
    await eventually(async () => {
      assert.ok('user' in (await reviewed(kubeconfig, await provider.token(jane))))
      assert.ok('user' in (await reviewed(kubeconfig, await byMail.token(mail))))
    })
})

const now = Math.floor(Date.now() / 1000)
const expressionTokens: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  plain: jane,
  'one group as a string': { ...jane, groups: 'devs' },
  'no groups': { ...jane, groups: [] },
  'groups that are null': { ...jane, groups: null },
  'groups that are numbers': { ...jane, groups: [1] },
  'without the claim of the groups': { ...jane, groups: undefined },
  'a team': { ...jane, team: ['a', '', 'b'] },
  'a team that is a number': { ...jane, team: 7 },
  'a fraction': { ...jane, number: 7.5 },
  'a large number': { ...jane, number: 2 ** 40 },
  'no id of the token': { ...jane, jti: undefined },
  'an id of the token that is a number': { ...jane, jti: 7 },
  'an empty name of the house': { ...jane, hd: '' },
  'another house': { ...jane, hd: 'other.com' },
  'a house that is a number': { ...jane, hd: 7 },
  'lives too long': { ...jane, exp: now + 100_000, iat: now },
  'has expired': { ...jane, exp: now - 5 },
  'has no end': { ...jane, exp: undefined },
  'counts in a minute': { ...jane, nbf: now + 60 },
  'counts in an hour': { ...jane, nbf: now + 3600, exp: now + 7200 },
  'for the console': { ...jane, aud: 'console' },
  'for several': { ...jane, aud: ['other', 'console'] },
  'for others': { ...jane, aud: ['other'] },
  'for nobody': { ...jane, aud: [] },
  'a name of the system': { ...jane, sub: 'system:x' },
  'a group of the system': { ...jane, groups: ['system:masters'] },
  robot: { ...jane, robot: true },
  'a robot that is a text': { ...jane, robot: 'yes' },
  'no name': { ...jane, sub: undefined },
}
const claimTokens: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  plain: mail,
  verified: { ...mail, email_verified: true },
  unverified: { ...mail, email_verified: false },
  'verified by a text': { ...mail, email_verified: 'true' },
  'a role': { ...mail, roles: 'ops' },
  roles: { ...mail, roles: ['ops', 'devs', 'ops', ''] },
  'roles that are numbers': { ...mail, roles: [1] },
  'roles that are an object': { ...mail, roles: {} },
  'no address': { ...mail, email: undefined },
  'an address that is a list': { ...mail, email: ['a'] },
  'no UID': { ...mail, sub: undefined },
}

for (const [what, issuer, tokens] of [
  ['by expressions', provider, expressionTokens],
  ['by claims', byMail, claimTokens],
] as const)
  test(`the same users, and the same tokens refused, ${what}`, async () => {
    for (const [name, given] of Object.entries(tokens)) {
      const token = await issuer.token(given)
      const [at, here] = await Promise.all([reviewed(theirs.kubeconfig, token), reviewed(ours.kubeconfig, token)])
      // Each has its own words for what is wrong inside an expression, or with a signature.
      const isWorded = /error evaluating|verify token|resulted in error/.test(at.error ?? '')
      if (isWorded && here.error) assert.match(here.error, /error evaluating|verify token/, name)
      else assert.deepEqual(here, at, name)
    }
  })

test('a faulty file is refused with the same words', async () => {
  const faulty = join(folder, 'faulty.json')
  const faults = {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AuthenticationConfiguration',
    jwt: [
      { issuer: { url: 'http://a:b@login.example.com?x=1#y' }, claimMappings: {} },
      {
        issuer: {
          url: 'https://kubernetes.default.svc',
          discoveryURL: 'https://kubernetes.default.svc/',
          audiences: ['a', 'a', ''],
        },
        claimMappings: {
          username: { claim: 'sub' },
          groups: { claim: 'a', expression: 'claims.groups', prefix: 'x:' },
          uid: { claim: 'a', expression: 'b' },
          extra: [
            { key: 'team', valueExpression: 'claims.team' },
            { key: 'a.example.com/Team', valueExpression: '' },
            { key: 'apps.k8s.io/team', valueExpression: 'claims.team' },
            { key: '_a/b?', valueExpression: 'claims.team' },
          ],
        },
        claimValidationRules: [
          {},
          { claim: 'a', message: 'b' },
          { claim: 'a' },
          { expression: 'claims.a == 1', requiredValue: 'b' },
          { claim: 'a', expression: 'b' },
          { expression: 'claims.a' },
        ],
        userValidationRules: [{ message: 'x' }, { expression: 'user.username' }],
      },
      {
        issuer: {
          url: 'https://kubernetes.default.svc',
          audiences: ['a'],
          audienceMatchPolicy: 'MatchAll',
          certificateAuthority: 'x',
        },
        claimMappings: { username: { expression: 'claims.email' } },
      },
    ],
  }
  writeFileSync(faulty, JSON.stringify(faults))
  // A running kube-apiserver reads the file again, and logs what is wrong with it.
  copyFileSync(faulty, file)
  const log = join(dirname(theirs.kubeconfig), 'log')
  const said = await eventually(() => {
    const [, quoted] =
      /"failed to validate authentication config" err=("(?:[^"\\]|\\.)*")/.exec(readFileSync(log, 'utf8')) ?? []
    return quoted ? String(JSON.parse(quoted)) : null
  })
  const mine = ((): string => {
    try {
      compileAuthentication(JSON.stringify(faults), ['https://kubernetes.default.svc'])
    } catch (error) {
      return (error as Error).message
    }
    return assert.fail('it was accepted')
  })()
  const linesOf = (text: string) => (/\[(jwt[\s\S]*)\]/.exec(text)?.[1] ?? text).split(/, (?=jwt\[)/)
  assert.deepEqual(linesOf(mine), linesOf(said))
})
