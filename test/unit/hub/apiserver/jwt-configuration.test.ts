/** The file of `--authentication-config`: what is refused, with which words, and what claims become. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Claims } from '../../../../lib/hub/apiserver/authentication/jwt/claims.ts'
import { compileAuthentication } from '../../../../lib/hub/apiserver/authentication/jwt/compile-jwt.ts'
import { ConfigurationError } from '../../../../lib/hub/apiserver/configuration/read-configuration.ts'
import { TokenRefused } from '../../../../lib/hub/apiserver/identity/token-refused.ts'

const own = ['https://hub.example.com']

const fileWith = (...jwt: object[]): string =>
  JSON.stringify({ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AuthenticationConfiguration', jwt })

const issuer = { url: 'https://login.example.com', audiences: ['hub'] }
const byName = { username: { claim: 'sub', prefix: '' } }

const refusal = (source: string): string => {
  try {
    compileAuthentication(source, own)
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message
    throw error
  }
  return 'accepted'
}

const userOf = (claimMappings: object, claims: Claims, rules: object = {}) => {
  const [authenticator] = compileAuthentication(fileWith({ issuer, claimMappings, ...rules }), own)
  return authenticator!.userOf(claims)
}

const refusedAs = (claimMappings: object, claims: Claims, rules: object = {}): string => {
  try {
    return JSON.stringify(userOf(claimMappings, claims, rules))
  } catch (error) {
    if (error instanceof TokenRefused) return error.message
    throw error
  }
}

test('reads the versions of the file, and nothing else', () => {
  for (const version of ['v1', 'v1beta1', 'v1alpha1'])
    assert.equal(
      refusal(fileWith({ issuer, claimMappings: byName }).replace('k8s.io/v1', `k8s.io/${version}`)),
      'accepted',
    )
  assert.equal(refusal(fileWith()), 'accepted', 'no issuer yet')
  assert.equal(refusal(''), 'empty config data')
  assert.match(refusal('- a'), /must be an object/)
  assert.match(refusal('a: [b'), /line 1/)
  assert.match(refusal(`${fileWith()}\n---\n${fileWith()}`), /2 documents/)
  assert.match(
    refusal('apiVersion: v1\nkind: Secret'),
    /no kind "Secret" is registered for version "v1": it should be kind AuthenticationConfiguration/,
  )
  assert.equal(
    refusal(fileWith({ issuer: { ...issuer, uri: 'x' }, claimMapings: {}, claimMappings: byName })),
    'strict decoding error: unknown field "jwt[0].claimMapings", unknown field "jwt[0].issuer.uri"',
  )
  assert.match(
    refusal(fileWith({ issuer: { ...issuer, audiences: 'hub' } })),
    /cannot unmarshal string into Go struct field .*audiences of type \[\]string/,
  )
})

test('names each fault of a file by its field', () => {
  const faults = refusal(
    fileWith(
      { issuer: { url: 'http://a:b@login.example.com?x=1#y' }, claimMappings: {} },
      {
        issuer: { url: own[0], discoveryURL: `${own[0]}/`, audiences: ['a', 'a', ''] },
        claimMappings: {
          username: { claim: 'sub' },
          groups: { expression: 'claims.groups', prefix: 'x:' },
          uid: { claim: 'a', expression: 'b' },
          extra: [
            { key: 'team', valueExpression: 'claims.team' },
            { key: 'a.example.com/Team', valueExpression: '' },
            { key: 'apps.k8s.io/team', valueExpression: 'claims.team' },
          ],
        },
        claimValidationRules: [
          {},
          { claim: 'a', message: 'b' },
          { claim: 'a' },
          { expression: 'claims.a == 1', requiredValue: 'b' },
        ],
        userValidationRules: [{ message: 'x' }],
      },
    ),
  )
  assert.deepEqual(faults.slice(1, -1).split(/, (?=jwt)/), [
    'jwt[0].issuer.url: Invalid value: "http://a:b@login.example.com?x=1#y": URL scheme must be https',
    'jwt[0].issuer.url: Invalid value: "http://a:b@login.example.com?x=1#y": URL must not contain a username or password',
    'jwt[0].issuer.url: Invalid value: "http://a:b@login.example.com?x=1#y": URL must not contain a query',
    'jwt[0].issuer.url: Invalid value: "http://a:b@login.example.com?x=1#y": URL must not contain a fragment',
    'jwt[0].issuer.audiences: Required value: at least one jwt[0].issuer.audiences is required',
    'jwt[0].claimMappings.username: Required value: claim or expression is required',
    'jwt[1].issuer.url: Invalid value: "https://hub.example.com": URL must not overlap with disallowed issuers: [https://hub.example.com]',
    'jwt[1].issuer.discoveryURL: Invalid value: "https://hub.example.com/": discoveryURL must be different from URL',
    'jwt[1].issuer.audiences[1]: Duplicate value: "a"',
    'jwt[1].issuer.audiences[2]: Required value',
    'jwt[1].issuer.audienceMatchPolicy: Invalid value: "": audienceMatchPolicy must be MatchAny for multiple audiences',
    'jwt[1].claimValidationRules[0]: Required value: claim or expression is required',
    'jwt[1].claimValidationRules[1].message: Invalid value: "b": may not be specified when claim is set',
    'jwt[1].claimValidationRules[2].claim: Duplicate value: "a"',
    'jwt[1].claimValidationRules[3].requiredValue: Invalid value: "b": may not be specified when expression is set',
    'jwt[1].claimMappings.username.prefix: Required value: prefix is required when claim is set. It can be set to an empty string to disable prefixing',
    'jwt[1].claimMappings.groups.prefix: Invalid value: "x:": may not be specified when expression is set',
    'jwt[1].claimMappings.uid: Invalid value: "": claim and expression can\'t both be set',
    'jwt[1].claimMappings.extra[0].key: Invalid value: "team": must be a domain-prefixed path (such as "acme.io/foo")',
    'jwt[1].claimMappings.extra[1].key: Invalid value: "a.example.com/Team": must be lowercase',
    'jwt[1].claimMappings.extra[1].valueExpression: Required value',
    'jwt[1].claimMappings.extra[2].key: Invalid value: "apps.k8s.io/team": k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use',
    'jwt[1].userValidationRules[0].expression: Required value',
  ])
})

test('compiles expressions, and refuses those that can not be right', () => {
  const faultOf = (username: string, rules: object = {}) =>
    refusal(fileWith({ issuer, claimMappings: { username: { expression: username } }, ...rules }))
  assert.equal(faultOf("'x:' + claims.sub"), 'accepted')
  assert.match(
    faultOf('claims.'),
    /jwt\[0\]\.claimMappings\.username\.expression: Invalid value: "claims\.": compilation failed: /,
  )
  assert.match(faultOf('user.name'), /compilation failed: /)
  const unverified = /claims\.email_verified must be used in claimMappings\.username\.expression or/
  assert.match(faultOf('claims.email'), unverified)
  assert.match(faultOf("claims.?email.orValue('')"), unverified)
  assert.equal(
    faultOf('claims.email', { claimValidationRules: [{ expression: 'claims.?email_verified.orValue(true) == true' }] }),
    'accepted',
  )
  assert.match(
    faultOf('claims.sub', { claimValidationRules: [{ expression: 'claims.hd' }] }),
    /claimValidationRules\[0\]\.expression: Invalid value: "claims\.hd": must evaluate to bool/,
  )
  assert.match(
    faultOf('claims.sub', { userValidationRules: [{ expression: 'user.name == "x"' }] }),
    /userValidationRules\[0\]\.expression: .*undefined field 'name'/,
  )
  assert.match(
    faultOf('claims.sub', { userValidationRules: [{ expression: 'claims.sub == "x"' }] }),
    /compilation failed/,
  )
})

test('refuses what a hub does not have', () => {
  assert.match(
    refusal(fileWith({ issuer: { ...issuer, egressSelectorType: 'cluster' }, claimMappings: byName })),
    /egressSelectorType: Invalid value: "cluster": a hub has no egress selectors/,
  )
  assert.match(refusal(fileWith().replace('"jwt":[]', '"anonymous":{"enabled":true}')), /anonymous\.enabled: Forbidden/)
  assert.equal(refusal(fileWith().replace('"jwt":[]', '"anonymous":{"enabled":false}')), 'accepted')
  assert.match(
    refusal(fileWith({ issuer: { ...issuer, certificateAuthority: 'x' }, claimMappings: byName })),
    /certificateAuthority: Invalid value: "<omitted>": data does not contain/,
  )
})

test('maps claims to a user, of whom everyone knows that somebody has authenticated', () => {
  const mappings = {
    username: { claim: 'sub', prefix: 'oidc:' },
    groups: { claim: 'groups', prefix: 'oidc:' },
    uid: { claim: 'oid' },
    extra: [
      { key: 'example.com/team', valueExpression: 'claims.team' },
      { key: 'example.com/none', valueExpression: "''" },
    ],
  }
  const claims = { sub: 'jane', groups: ['devs', 'ops'], oid: '7', team: ['a', '', 'b'], jti: 't1' }
  assert.deepEqual(userOf(mappings, claims), {
    name: 'oidc:jane',
    uid: '7',
    groups: ['oidc:devs', 'oidc:ops', 'system:authenticated'],
    extra: { 'authentication.kubernetes.io/credential-id': ['JTI=t1'], 'example.com/team': ['a', 'b'] },
  })
  assert.deepEqual(userOf(mappings, { ...claims, groups: 'devs' }).groups, ['oidc:devs', 'system:authenticated'])
  assert.deepEqual(userOf({ username: mappings.username }, claims).groups, ['system:authenticated'])
})

test('maps claims by expressions', () => {
  const mappings = {
    username: { expression: "claims.sub.lowerAscii() + '@' + claims.org" },
    groups: { expression: "claims.roles.filter(r, r.startsWith('hub:')).map(r, r.split(':')[1])" },
    uid: { expression: 'string(claims.number)' },
  }
  const claims = { sub: 'Jane', org: 'a', roles: ['hub:devs', 'other'], number: 12 }
  assert.deepEqual(userOf(mappings, claims), { name: 'jane@a', uid: '12', groups: ['devs', 'system:authenticated'] })
  const { org: _, ...homeless } = claims
  assert.match(refusedAs(mappings, homeless), /oidc: error evaluating username claim expression/)
  assert.match(
    refusedAs({ username: { expression: 'claims.number' } }, claims),
    /username claim expression must return a string/,
  )
  assert.match(refusedAs({ username: { expression: "''" } }, claims), /empty username is not allowed/)
  assert.match(
    refusedAs({ ...byName, groups: { expression: 'claims.number' } }, claims),
    /expression must return a string or a list of strings/,
  )
})

test('never shows the value of a claim of the wrong type', () => {
  assert.equal(refusedAs(byName, {}), 'oidc: parse username claims "sub": claim not present')
  assert.equal(
    refusedAs(byName, { sub: 7 }),
    'oidc: parse username claims "sub": json: cannot unmarshal number into Go value of type string',
  )
  assert.match(
    refusedAs({ ...byName, groups: { claim: 'groups', prefix: '' } }, { sub: 'a', groups: [1] }),
    /parse groups claim "groups": json: cannot unmarshal array/,
  )
  const secret = refusedAs(
    { username: { expression: 'claims.nested[claims.token]' } },
    { nested: {}, token: 'hunter2' },
  )
  assert.doesNotMatch(secret, /hunter2/)
})

test('requires an address to be verified if it is said whether it is', () => {
  const byMail = { username: { claim: 'email', prefix: '' } }
  assert.equal(userOf(byMail, { email: 'a@b' }).name, 'a@b')
  assert.equal(userOf(byMail, { email: 'a@b', email_verified: true }).name, 'a@b')
  assert.equal(refusedAs(byMail, { email: 'a@b', email_verified: false }), 'oidc: email not verified')
  assert.match(refusedAs(byMail, { email: 'a@b', email_verified: 'true' }), /parse 'email_verified' claim/)
})

test('requires what the rules say of claims and users', () => {
  const rules = {
    claimValidationRules: [
      { claim: 'hd', requiredValue: 'example.com' },
      { expression: 'claims.exp - claims.iat <= 3600', message: 'lives too long' },
    ],
    userValidationRules: [
      { expression: "!user.username.startsWith('system:')", message: 'a name of the system' },
      { expression: "user.groups.all(g, !g.startsWith('system:'))", message: 'a group of the system' },
    ],
  }
  const mappings = { ...byName, groups: { claim: 'groups', prefix: '' } }
  const claims = { sub: 'jane', hd: 'example.com', iat: 0, exp: 3600, groups: ['devs'] }
  assert.equal(userOf(mappings, claims, rules).name, 'jane')
  const { hd: _, ...homeless } = claims
  assert.equal(refusedAs(mappings, homeless, rules), 'oidc: required claim hd not present in ID token')
  assert.equal(
    refusedAs(mappings, { ...claims, hd: 'other.com' }, rules),
    'oidc: required claim hd value does not match. Got = other.com, want = example.com',
  )
  assert.equal(
    refusedAs(mappings, { ...claims, exp: 7200 }, rules),
    "oidc: error evaluating claim validation expression: validation expression 'claims.exp - claims.iat <= 3600' failed: lives too long",
  )
  assert.match(refusedAs(mappings, { ...claims, sub: 'system:admin' }, rules), /failed: a name of the system$/)
  assert.match(refusedAs(mappings, { ...claims, groups: ['system:masters'] }, rules), /failed: a group of the system$/)
})

test('an expression that works without end is stopped', () => {
  const endless = 'claims.a.all(x, claims.a.all(y, claims.a.all(z, x != "b")))'
  const rules = { claimValidationRules: [{ expression: endless }] }
  const a = Array.from({ length: 1_000 }, () => 'a')
  assert.match(refusedAs(byName, { sub: 'jane', a }, rules), /takes too much work/)
})
