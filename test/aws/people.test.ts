/** OpenID Connect on AWS: the bundles of the API proxy and of the API behind it, with a real provider. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { apiSample } from '../../events/function-url.ts'
import { sample as minute } from '../../events/tick.ts'
import { bundleFunctions } from '../../infra/bundle.ts'
import { authenticationFile } from '../../infra/functions.ts'
import { awsRequests } from '../bed/aws/aws-request.ts'
import { deployFunction } from '../bed/aws/deploy-function.ts'
import { awsEmulator } from '../bed/aws/emulator.ts'
import { eventually } from '../bed/eventually.ts'
import { oidcProvider } from '../bed/oidc-provider.ts'
import { tempDir } from '../bed/temp-dir.ts'
import { hubOnAws } from './hub-environment.ts'

interface Answer {
  readonly statusCode: number
  readonly body: { readonly message?: string; readonly status?: { readonly userInfo?: object } }
}

test('the API proxy forwards requests with tokens of configured issuers, and no others', async () => {
  const [emulator, provider, stranger] = await Promise.all([awsEmulator(), oidcProvider(), oidcProvider()])
  const { clients, environment } = await hubOnAws(emulator)
  after(() => clients.close())
  const bundles = tempDir()
  await bundleFunctions(['api', 'apiserver', 'tick'], bundles)
  const configuration = {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AuthenticationConfiguration',
    jwt: [
      {
        issuer: { url: provider.issuer, audiences: ['keelson'], certificateAuthority: provider.ca },
        claimMappings: {
          username: { expression: "'login:' + claims.sub" },
          groups: { expression: 'claims.?groups.orValue([])' },
        },
      },
    ],
  }
  writeFileSync(join(bundles, 'apiserver', authenticationFile), JSON.stringify(configuration))
  const hubName = environment.KEELSON_HUB_NAME
  await deployFunction(emulator, {
    ...{ name: `${hubName}-apiserver`, folder: join(bundles, 'apiserver') },
    environment: { ...environment, KEELSON_AUTHENTICATION_FILE: authenticationFile },
  })
  for (const name of ['api', 'tick']) await deployFunction(emulator, { name, environment, folder: join(bundles, name) })
  const aws = awsRequests(emulator)
  const invoke = (name: string, event: object) => {
    const path = `/2015-03-31/functions/${name}/invocations`
    return aws({ service: 'lambda', method: 'POST', path, body: JSON.stringify(event) })
  }

  const ask = async (method: string, rawPath: string, token: string, content?: object): Promise<Answer> => {
    const event = {
      ...{ ...apiSample, rawPath, headers: { ...apiSample.headers, authorization: `Bearer ${token}` } },
      requestContext: { ...apiSample.requestContext, http: { ...apiSample.requestContext.http, method } },
      ...(content && { body: JSON.stringify(content) }),
    }
    const { text } = await invoke('api', event)
    const [head = '', body = ''] = (JSON.parse(text) as string).split('\0\0\0\0\0\0\0\0')
    return { statusCode: (JSON.parse(head) as Answer).statusCode, body: JSON.parse(body) as Answer['body'] }
  }
  const whoAmI = (token: string) =>
    ask('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', token, {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'SelfSubjectReview',
    })

  // Makes the hub's roles, without which nobody may ask who they are.
  await invoke('tick', minute)
  const token = await provider.token({ sub: 'jane', groups: ['devs'], jti: undefined })
  const { body } = await eventually(async () => {
    const answer = await whoAmI(token)
    assert.equal(answer.statusCode, 201, answer.body.message)
    return answer
  })
  assert.deepEqual(body.status?.userInfo, { username: 'login:jane', groups: ['devs', 'system:authenticated'] })
  const refused = await ask('GET', '/api/v1/namespaces', token)
  assert.match(refused.body.message ?? '', /User "login:jane" cannot list resource "namespaces"/)

  const now = Math.floor(Date.now() / 1000)
  const others = {
    expired: await provider.token({ sub: 'jane', exp: now - 1 }),
    'long expired': await provider.token({ sub: 'jane', exp: now - 600 }),
    'for others': await provider.token({ sub: 'jane', aud: 'other' }),
    'of a stranger': await stranger.token({ sub: 'jane' }),
    'of a stranger in another name': await stranger.token({ sub: 'jane', iss: provider.issuer }),
  }
  for (const [what, other] of Object.entries(others)) assert.equal((await whoAmI(other)).statusCode, 401, what)

  provider.rotate()
  const renewed = await provider.token({ sub: 'jane' })
  await eventually(async () => assert.equal((await whoAmI(renewed)).statusCode, 201), { within: 60_000, every: 1_000 })
})
