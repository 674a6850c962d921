import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CloudError } from '../../../lib/platform/cloud/cloud-error.ts'
import { cloudLogin } from '../../../lib/sources/oci/cloud-login.ts'

const minute = 60_000

interface Asked {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** Clouds that answer everything with the same, and the time. */
const openClouds = (answer: (now: number) => object) => {
  let now = Date.UTC(2026, 0, 1)
  const asked: Asked[] = []
  const fetch = async (url: unknown, init?: { headers?: unknown; body?: unknown }) => {
    asked.push({
      url: String(url),
      headers: { ...(init?.headers as Asked['headers']) },
      body: String(init?.body ?? ''),
    })
    return new Response(JSON.stringify(answer(now)), { status: 200 })
  }
  const login = cloudLogin(
    {
      aws: async () => ({ accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret', sessionToken: 'session' }),
      azure: async ({ resource }: { readonly resource: string }) => ({
        token: `entra for ${resource}`,
        expiresAt: now + 60 * minute,
      }),
      gcp: async () => ({ token: 'google', expiresAt: now + 60 * minute }),
    } as never,
    { fetch: fetch as never, clock: { now: () => now } as never },
  )
  return { login, asked, pass: (ms: number) => (now += ms) }
}

const authorizationToken = Buffer.from('AWS:pass:word').toString('base64')

test('OC-015 OC-019 IM-015 IM-016: ECR gives a login for its own registries, which is kept until shortly before its end', async () => {
  const data = (now: number) => ({ authorizationData: [{ authorizationToken, expiresAt: now / 1000 + 12 * 3600 }] })
  const { login, asked, pass } = openClouds(data)
  const registry = '123456789012.dkr.ecr.eu-west-1.amazonaws.com'
  assert.deepEqual(await login('aws', registry, {}), { username: 'AWS', password: 'pass:word' })
  await login('aws', registry, {})
  pass(11 * 60 * minute)
  await login('aws', registry, {})
  assert.equal(asked.length, 1)
  pass(60 * minute)
  await login('aws', registry, {})
  assert.equal(asked.length, 2)
  const [{ url, headers }] = asked as [Asked, Asked]
  assert.equal(url, 'https://api.ecr.eu-west-1.amazonaws.com/')
  assert.equal(headers['x-amz-target'], 'AmazonEC2ContainerRegistry_V20150921.GetAuthorizationToken')
  assert.match(headers.authorization!, /Credential=AKIDEXAMPLE\/20260101\/eu-west-1\/ecr\/aws4_request/)
})

test('OC-015 IM-016: so does ECR Public, which lives in one region', async () => {
  const { login, asked } = openClouds(() => ({ authorizationData: { authorizationToken } }))
  assert.deepEqual(await login('aws', 'public.ecr.aws', {}), { username: 'AWS', password: 'pass:word' })
  assert.equal(asked[0]!.url, 'https://api.ecr-public.us-east-1.amazonaws.com/')
  assert.match(asked[0]!.headers.authorization!, /\/us-east-1\/ecr-public\/aws4_request/)
})

test('OC-016 IM-016: ACR exchanges a token of Entra for one of its own', async () => {
  const { login, asked } = openClouds(() => ({ refresh_token: 'acr' }))
  assert.deepEqual(await login('azure', 'team.azurecr.io', {}), { identityToken: 'acr' })
  assert.equal(asked[0]!.url, 'https://team.azurecr.io/oauth2/exchange')
  const form = new URLSearchParams(asked[0]!.body)
  assert.equal(form.get('service'), 'team.azurecr.io')
  assert.equal(form.get('access_token'), 'entra for https://management.azure.com')
})

test('OC-017 IM-016: registries of Google take its access token as a password', async () => {
  const { login, asked } = openClouds(() => ({}))
  for (const registry of ['europe-docker.pkg.dev', 'gcr.io', 'eu.gcr.io']) {
    assert.deepEqual(await login('gcp', registry, {}), { username: 'oauth2accesstoken', password: 'google' })
  }
  assert.deepEqual(asked, [])
})

test("IM-016: nobody else's registry gets to see what proves who we are", async () => {
  const { login, asked } = openClouds(() => ({ refresh_token: 'x', authorizationData: [{ authorizationToken }] }))
  const strangers = {
    aws: ['evil.example', '123456789012.dkr.ecr.eu-west-1.amazonaws.com.evil.example', 'amazonaws.com'],
    azure: ['evil.example', 'azurecr.io.evil.example', 'evilazurecr.io'],
    gcp: ['evil.example', 'gcr.io.evil.example', 'evilgcr.io', 'x-docker.pkg.dev.evil.example'],
  } as const
  for (const [provider, registries] of Object.entries(strangers)) {
    for (const registry of registries) {
      await assert.rejects(login(provider as 'aws', registry, {}), CloudError, registry)
    }
  }
  assert.deepEqual(asked, [])
})

test('a response without a login is an error that quotes nothing of it', async () => {
  const { login } = openClouds(() => ({ authorizationData: [{}], refresh_token: '' }))
  await assert.rejects(login('aws', 'public.ecr.aws', {}), /a login for public\.ecr\.aws: the response contains none/)
  await assert.rejects(login('azure', 'team.azurecr.io', {}), /the response contains none/)
})
