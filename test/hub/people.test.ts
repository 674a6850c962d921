/** People by OpenID Connect: a real provider, the product as it is run, and an unmodified kubectl. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventually } from '../bed/eventually.ts'
import { hub } from '../bed/hub.ts'
import { kubectl } from '../bed/kubectl.ts'
import { type OidcProvider, oidcProvider } from '../bed/oidc-provider.ts'
import { refusal } from '../bed/refusal.ts'
import { endWithTest } from '../bed/teardown.ts'
import { disposableDir } from '../bed/temp-dir.ts'

const { path: folder } = endWithTest(disposableDir())
const file = join(folder, 'authentication.yaml')
const provider = await oidcProvider()
const late = await oidcProvider({ stopped: true })

const configuration = (providers: readonly OidcProvider[], also = ''): string =>
  [
    'apiVersion: apiserver.config.k8s.io/v1',
    'kind: AuthenticationConfiguration',
    'jwt:',
    ...providers
      .map(({ issuer, ca }) =>
        JSON.stringify({
          issuer: { url: issuer, audiences: ['keelson'], certificateAuthority: ca },
          claimMappings: {
            username: { claim: 'sub', prefix: 'oidc:' },
            groups: { expression: "claims.?groups.orValue([]).map(g, 'oidc:' + g)" },
            uid: { claim: 'sub' },
            extra: [{ key: 'example.com/team', valueExpression: "claims.?team.orValue('')" }],
          },
          userValidationRules: [{ expression: "user.groups.all(g, g != 'oidc:banned')", message: 'you are banned' }],
        }),
      )
      .map(line => `  - ${line}`),
    also,
  ].join('\n')

writeFileSync(file, configuration([provider, late]))
const server = await hub({ flags: ['--authentication-config', file, '--log-level', 'info'] })

const bearing = (token: string) => (args: readonly string[]) => kubectl(server.kubeconfig, [...args, '--token', token])

const nobody = /must be logged in|Unauthorized/

test('knows a person by a token, as the configuration maps its claims', async () => {
  const jane = bearing(await provider.token({ sub: 'jane', groups: ['devs'], team: 'blue', jti: 't1' }))
  const { status } = JSON.parse(await jane(['auth', 'whoami', '-o', 'json']))
  assert.deepEqual(status.userInfo, {
    username: 'oidc:jane',
    uid: 'jane',
    groups: ['oidc:devs', 'system:authenticated'],
    extra: { 'authentication.kubernetes.io/credential-id': ['JTI=t1'], 'example.com/team': ['blue'] },
  })
})

test('lets people see what roles let them see: nothing at first, then their namespace', async () => {
  const jane = bearing(await provider.token({ sub: 'jane', groups: ['devs'] }))
  const joe = bearing(await provider.token({ sub: 'joe', groups: ['ops'] }))
  await server.kubectl('create', 'namespace', 'apps')
  await server.kubectl('create', 'configmap', 'one', '-n', 'apps')
  for (const kind of ['namespaces', 'configmaps', 'secrets', 'kustomizations', 'clusters'])
    assert.match(await refusal(jane(['get', kind, '-A'])), /forbidden: User "oidc:jane" cannot list/, kind)
  await server.kubectl('create', 'rolebinding', 'devs', '-n', 'apps', '--clusterrole=view', '--group=oidc:devs')
  assert.equal(await jane(['get', 'configmaps', '-n', 'apps', '-o', 'name']), 'configmap/one\n')
  assert.match(await refusal(jane(['get', 'configmaps', '-n', 'default'])), /forbidden/)
  assert.match(await refusal(joe(['get', 'configmaps', '-n', 'apps'])), /User "oidc:joe" cannot list/)
})

test('refuses tokens that have expired, are for others, are not signed, or break a rule', async () => {
  const now = Math.floor(Date.now() / 1000)
  const claims = { sub: 'jane' }
  const stranger = await oidcProvider()
  const [header, payload] = (await provider.token(claims)).split('.')
  const tokens = {
    expired: await provider.token({ ...claims, exp: now - 1 }),
    endless: await provider.token({ ...claims, exp: undefined }),
    'not yet valid': await provider.token({ ...claims, nbf: now + 600 }),
    'for others': await provider.token({ ...claims, aud: 'other' }),
    'for nobody': await provider.token({ ...claims, aud: [] }),
    banned: await provider.token({ ...claims, groups: ['banned'] }),
    nameless: await provider.token({}),
    'of a stranger': await stranger.token(claims),
    'of a stranger in another name': await stranger.token({ ...claims, iss: provider.issuer }),
    unsigned: `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`,
    'signed with the public key': `${Buffer.from('{"alg":"HS256"}').toString('base64url')}.${payload}.AAAA`,
    cut: `${header}.${payload}.`,
  }
  for (const [what, token] of Object.entries(tokens))
    assert.match(await refusal(bearing(token)(['get', 'namespaces'])), nobody, what)
  assert.equal((await refusal(bearing(await provider.token(claims))(['auth', 'whoami']))).includes('accepted'), true)
})

test('shows users with the right to review tokens why one is refused', async () => {
  const review = async (token: string) => {
    const spec = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } }
    const answer = await kubectl(server.kubeconfig, ['create', '-f', '-', '-o', 'json'], {
      input: JSON.stringify(spec),
    })
    return JSON.parse(answer).status
  }
  const { user, authenticated } = await review(await provider.token({ sub: 'jane', groups: ['devs'] }))
  assert.equal(authenticated, true)
  assert.equal(user.username, 'oidc:jane')
  const wrong = await review(await provider.token({ sub: 'jane', aud: 'other' }))
  assert.equal(
    wrong.error,
    '[invalid bearer token, oidc: verify token: oidc: expected audience in ["keelson"] got ["other"]]',
  )
  const banned = await review(await provider.token({ sub: 'jane', groups: ['banned'] }))
  assert.match(banned.error, /failed: you are banned\]$/)
})

test('rejects the users of an unavailable issuer, and no others, until it is available', async () => {
  await eventually(() => assert.match(server.said(), /failed to fetch the keys of a token issuer.*connection refused/))
  const jane = bearing(await late.token({ sub: 'jane' }))
  assert.match(await refusal(jane(['auth', 'whoami'])), nobody)
  assert.match(await bearing(await provider.token({ sub: 'jane' }))(['auth', 'whoami']), /oidc:jane/)
  await late.start()
  await eventually(async () => assert.match(await jane(['auth', 'whoami']), /oidc:jane/))
})

test('learns a new key of an issuer, and forgets the old one, without asking at each token', async () => {
  const before = await provider.token({ sub: 'jane' })
  assert.match(await bearing(before)(['auth', 'whoami']), /oidc:jane/)
  provider.rotate()
  const after = await provider.token({ sub: 'jane' })
  await eventually(async () => assert.match(await bearing(after)(['auth', 'whoami']), /oidc:jane/))
  assert.match(await refusal(bearing(before)(['auth', 'whoami'])), nobody)
  const asked = provider.asked('/jwks')
  const [header, payload] = after.split('.')
  const { alg } = JSON.parse(Buffer.from(header!, 'base64url').toString())
  for (let at = 0; at < 20; at++) {
    const unknown = Buffer.from(JSON.stringify({ alg, kid: `unknown-${at}` })).toString('base64url')
    const response = await fetchAs(`${unknown}.${payload}.AAAA`)
    assert.equal(response, 401)
  }
  assert.ok(provider.asked('/jwks') - asked <= 2, `asked ${provider.asked('/jwks') - asked} times`)
})

const fetchAs = async (token: string): Promise<number> => {
  const said = await refusal(kubectl(server.kubeconfig, ['get', '--raw', '/api', '--token', token]))
  return nobody.test(said) ? 401 : 200
}

test('goes by a changed file, and by the last good one if it is faulty', async () => {
  const jane = await provider.token({ sub: 'jane', groups: ['devs'] })
  writeFileSync(file, configuration([provider, late], 'jwtt: []'))
  await eventually(() =>
    assert.match(
      server.said(),
      /failed to reload the authentication configuration, using the previous one.*unknown field \\"jwtt\\"/,
    ),
  )
  assert.match(await bearing(jane)(['auth', 'whoami']), /oidc:jane/)
  writeFileSync(file, configuration([provider]).replaceAll('oidc:', 'people:'))
  await eventually(async () => assert.match(await bearing(jane)(['auth', 'whoami']), /people:jane[\s\S]*people:devs/))
  assert.match(await refusal(bearing(await late.token({ sub: 'jane' }))(['auth', 'whoami'])), nobody)
})

test('does not start with a file that it can not use, and says why', async () => {
  const broken = join(folder, 'broken.yaml')
  writeFileSync(broken, configuration([provider]).replaceAll('"prefix":"oidc:"', '"prefix":null'))
  await assert.rejects(
    hub({ flags: ['--authentication-config', broken] }),
    /failed to load authentication configuration from file .*jwt\[0\]\.claimMappings\.username\.prefix: Required value/,
  )
  await assert.rejects(
    hub({ flags: ['--authentication-config', join(folder, 'none.yaml')] }),
    /failed to load .*ENOENT/,
  )
})
