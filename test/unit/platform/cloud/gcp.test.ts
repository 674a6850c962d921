import assert from 'node:assert/strict'
import { generateKeyPairSync, verify } from 'node:crypto'
import { test } from 'node:test'
import { ambientGcpIdentity } from '../../../../lib/platform/cloud/gcp/ambient-identity.ts'
import { parseGcpCredentials } from '../../../../lib/platform/cloud/gcp/credentials.ts'
import { credentialsIdentity } from '../../../../lib/platform/cloud/gcp/credentials-identity.ts'
import { cloudPlatformScope } from '../../../../lib/platform/cloud/gcp/identity.ts'
import { destinationNamedBy } from '../../../../lib/platform/cloud/token-destination.ts'
import { fakeCloud, formOf, jwtParts, processWith, startOfTime } from './fake-cloud.ts'

const destination = destinationNamedBy('the cloud', new URL('https://storage.googleapis.com'))
const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const serviceAccount = JSON.stringify({
  type: 'service_account',
  project_id: 'p',
  private_key_id: 'kid-1',
  private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
  client_email: 'robot@p.iam.gserviceaccount.com',
  token_uri: 'https://evil.example/token',
})
const granted = () => ({ json: { access_token: 'ya29', expires_in: 3599 } })

test('a service account key signs a grant for Google, whatever token_uri says', async () => {
  const { fetch, asked } = fakeCloud({ 'POST oauth2.googleapis.com/token': granted })
  const identity = credentialsIdentity(processWith({ fetch }), parseGcpCredentials(serviceAccount))
  assert.deepEqual(await identity(destination), { token: 'ya29', expiresAt: startOfTime + 3_599_000 })
  await identity(destination)
  assert.equal(asked.length, 1)
  const { grant_type, assertion = '' } = formOf(asked[0]!)
  assert.equal(grant_type, 'urn:ietf:params:oauth:grant-type:jwt-bearer')
  const { header, claims } = jwtParts(assertion)
  assert.deepEqual(header, { typ: 'JWT', alg: 'RS256', kid: 'kid-1' })
  assert.deepEqual(claims, {
    iss: 'robot@p.iam.gserviceaccount.com',
    scope: cloudPlatformScope,
    aud: 'https://oauth2.googleapis.com/token',
    iat: startOfTime / 1000,
    exp: startOfTime / 1000 + 3600,
  })
  const [head, body, signature] = assertion.split('.')
  assert.ok(verify('sha256', Buffer.from(`${head}.${body}`), publicKey, Buffer.from(signature!, 'base64url')))
})

const external = (source: unknown, more = {}) =>
  JSON.stringify({
    type: 'external_account',
    audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/pool/providers/aws',
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    token_url: 'https://sts.googleapis.com/v1/token',
    credential_source: source,
    ...more,
  })

test('an external account exchanges its token, and acts as the service account it names', async () => {
  const path = '/v1/projects/-/serviceAccounts/robot@p.iam.gserviceaccount.com:generateAccessToken'
  const { fetch, asked } = fakeCloud({
    'POST sts.googleapis.com/v1/token': granted,
    [`POST iamcredentials.googleapis.com${path}`]: () => ({
      json: { accessToken: 'robot-token', expireTime: '2026-11-21T13:00:00Z' },
    }),
  })
  const file = external(
    { file: '/oidc', format: { type: 'json', subject_token_field_name: 'id_token' } },
    { service_account_impersonation_url: `https://iamcredentials.googleapis.com${path}` },
  )
  const environment = { GOOGLE_APPLICATION_CREDENTIALS: '/adc.json' }
  const files = { '/adc.json': file, '/oidc': '{"id_token": "oidc-token"}' }
  const identity = ambientGcpIdentity(processWith({ fetch, environment }, files))
  assert.deepEqual(await identity(destination), { token: 'robot-token', expiresAt: startOfTime + 3_600_000 })
  assert.equal(formOf(asked[0]!).subject_token, 'oidc-token')
  assert.equal(asked[1]!.headers.get('authorization'), 'Bearer ya29')
})

test('on AWS, the subject token is a signed GetCallerIdentity request', async () => {
  const { fetch, asked } = fakeCloud({ 'POST sts.googleapis.com/v1/token': granted })
  const url = 'https://sts.{region}.amazonaws.com?Action=GetCallerIdentity&Version=2011-06-15'
  const environment = {
    GOOGLE_APPLICATION_CREDENTIALS: '/adc.json',
    AWS_ACCESS_KEY_ID: 'AK',
    AWS_SECRET_ACCESS_KEY: 'SK',
    AWS_REGION: 'eu-west-1',
  }
  const source = { environment_id: 'aws1', regional_cred_verification_url: url }
  await ambientGcpIdentity(processWith({ fetch, environment }, { '/adc.json': external(source) }))(destination)
  const token = JSON.parse(decodeURIComponent(formOf(asked[0]!).subject_token!))
  const headers = new Map(token.headers.map(({ key, value }: { key: string; value: string }) => [key, value]))
  assert.equal(token.url, 'https://sts.eu-west-1.amazonaws.com?Action=GetCallerIdentity&Version=2011-06-15')
  assert.match(String(headers.get('authorization')), /SignedHeaders=[^,]*x-goog-cloud-target-resource/)
  assert.match(String(headers.get('x-goog-cloud-target-resource')), /workloadIdentityPools/)
})

test("credentials of a user reach neither the machine's files nor addresses", async () => {
  const { fetch, asked } = fakeCloud({ 'POST sts.googleapis.com/v1/token': granted })
  const account = parseGcpCredentials(external({ file: '/etc/shadow' }))
  await assert.rejects(
    credentialsIdentity(processWith({ fetch }), account)(destination),
    /only work as the default of this process/,
  )
  assert.equal(asked.length, 0)
})

test('a credentials file that sends tokens anywhere but to Google is refused', () => {
  const evil = external({ file: '/x' }, { token_url: 'https://sts.googleapis.com.evil.example/token' })
  assert.throws(() => parseGcpCredentials(evil), {
    message: 'GCP: invalid credentials file: token_url must be an https URL below googleapis.com',
  })
})

test('errors of a credentials file name the field, never its content', () => {
  const broken = JSON.stringify({ type: 'service_account', client_email: 'x', private_key: 'hush-hush' })
  assert.throws(() => parseGcpCredentials(broken), {
    message: 'GCP: invalid credentials file: private_key is not an RSA key in PEM',
  })
  assert.throws(() => parseGcpCredentials('hush'), { message: 'GCP: invalid credentials file: not a JSON object' })
  const executable = external({ executable: { command: 'rm -rf /' } })
  assert.throws(() => parseGcpCredentials(executable), /executables are not run/)
})

test('the metadata service gives the token of the machine, where it is enabled', async () => {
  const { fetch } = fakeCloud({})
  const metadata = fakeCloud({
    'GET 169.254.169.254/computeMetadata/v1/instance/service-accounts/default/token': granted,
  })
  await assert.rejects(
    ambientGcpIdentity(processWith({ fetch }))(destination),
    /GOOGLE_APPLICATION_CREDENTIALS is not set/,
  )
  const identity = ambientGcpIdentity(processWith({ fetch, metadataFetch: metadata.fetch }))
  assert.equal((await identity(destination)).token, 'ya29')
  assert.equal(metadata.asked[0]!.headers.get('metadata-flavor'), 'Google')
})
