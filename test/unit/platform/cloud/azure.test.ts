import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { constants, createHash, verify, X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { ambientAzureIdentity } from '../../../../lib/platform/cloud/azure/ambient-identity.ts'
import { clientCertificateIdentity, clientSecretIdentity } from '../../../../lib/platform/cloud/azure/entra-identity.ts'
import { managedIdentity } from '../../../../lib/platform/cloud/azure/managed-identity.ts'
import { destinationNamedBy } from '../../../../lib/platform/cloud/token-destination.ts'
import { fakeCloud, formOf, jwtParts, processWith, startOfTime } from './fake-cloud.ts'

const client = { tenantId: 'tenant', clientId: 'client' }
const resource = 'https://vault.azure.net'
const destination = destinationNamedBy('the cloud', new URL('https://vault.azure.net'))
const tokenUrl = 'login.microsoftonline.com/tenant/oauth2/v2.0/token'
const granted = () => ({ json: { access_token: 'granted', expires_in: 3600 } })

test('a client secret is posted to the tenant, and the token kept per resource', async () => {
  const { fetch, asked } = fakeCloud({ [`POST ${tokenUrl}`]: granted })
  const identity = clientSecretIdentity(processWith({ fetch }), { ...client, secret: 's3cret' })
  assert.deepEqual(await identity({ resource, destination }), { token: 'granted', expiresAt: startOfTime + 3_600_000 })
  await identity({ resource, destination })
  await identity({ resource: 'https://management.azure.com', destination })
  assert.deepEqual(asked.map(formOf), [
    {
      grant_type: 'client_credentials',
      client_id: 'client',
      client_secret: 's3cret',
      scope: 'https://vault.azure.net/.default',
    },
    {
      grant_type: 'client_credentials',
      client_id: 'client',
      client_secret: 's3cret',
      scope: 'https://management.azure.com/.default',
    },
  ])
})

test('another authority host is honoured, with or without a slash; plain http is refused', async () => {
  const { fetch } = fakeCloud({ 'POST login.chinacloudapi.cn/tenant/oauth2/v2.0/token': granted })
  const ports = processWith({ fetch })
  for (const authorityHost of [
    'https://login.chinacloudapi.cn/',
    'https://login.chinacloudapi.cn',
    'login.chinacloudapi.cn',
  ])
    assert.equal(
      (await clientSecretIdentity(ports, { ...client, authorityHost, secret: 's' })({ resource, destination })).token,
      'granted',
    )
  const plain = clientSecretIdentity(ports, { ...client, authorityHost: 'http://login', secret: 's' })
  await assert.rejects(plain({ resource, destination }), { message: 'Azure: the authority host must be an https URL' })
})

const certificatePem = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-azure-'))
  const [key, certificate] = [join(folder, 'key'), join(folder, 'cert')]
  const subject = ['-subj', '/CN=client', '-days', '2', '-nodes']
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', ...subject, '-keyout', key, '-out', certificate], {
    stdio: 'ignore',
  })
  const pem = readFileSync(key, 'utf8') + readFileSync(certificate, 'utf8')
  rmSync(folder, { recursive: true })
  return pem
}

test('a certificate signs an assertion of its client for this tenant; its chain is sent if requested', async () => {
  const certificate = certificatePem()
  const own = new X509Certificate(certificate.slice(certificate.indexOf('-----BEGIN CERT')))
  for (const sendChain of [false, true]) {
    const { fetch, asked } = fakeCloud({ [`POST ${tokenUrl}`]: granted })
    await clientCertificateIdentity(processWith({ fetch }), { ...client, certificate, sendChain })({
      resource,
      destination,
    })
    const { client_assertion: assertion = '', client_assertion_type } = formOf(asked[0]!)
    assert.equal(client_assertion_type, 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer')
    const { header, claims } = jwtParts(assertion)
    assert.deepEqual(header, {
      typ: 'JWT',
      alg: 'PS256',
      'x5t#S256': createHash('sha256').update(own.raw).digest('base64url'),
      ...(sendChain && { x5c: [own.raw.toString('base64')] }),
    })
    const { jti, ...said } = claims
    const now = startOfTime / 1000
    const times = { nbf: now - 60, iat: now, exp: now + 600 }
    assert.deepEqual(said, { aud: `https://${tokenUrl}`, iss: 'client', sub: 'client', ...times })
    assert.match(String(jti), /^[\da-f-]{36}$/)
    const [head, body, signature] = assertion.split('.')
    const key = { key: own.publicKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }
    assert.ok(verify('sha256', Buffer.from(`${head}.${body}`), key, Buffer.from(signature!, 'base64url')))
  }
})

test('a certificate without its key is refused without a word of what it holds', () => {
  const { fetch } = fakeCloud({})
  const use = (certificate: string) => () =>
    clientCertificateIdentity(processWith({ fetch }), { ...client, certificate })
  const message = 'Azure: the client certificate must be PEM with an RSA private key and its certificate'
  for (const certificate of ['', 'nonsense', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----'])
    assert.throws(use(certificate), { message })
})

test('a refused secret is named by its code and description', async () => {
  const { fetch } = fakeCloud({
    [`POST ${tokenUrl}`]: () => ({
      status: 401,
      json: { error: 'invalid_client', error_description: 'AADSTS7000215: Invalid client secret provided.' },
    }),
  })
  await assert.rejects(
    clientSecretIdentity(processWith({ fetch }), { ...client, secret: 'hush' })({ resource, destination }),
    {
      message:
        'Azure: token of client client: login.microsoftonline.com returned 401 invalid_client: AADSTS7000215: Invalid client secret provided.',
    },
  )
})

test('workload identity reads its token file again for each token', async () => {
  const { fetch, asked } = fakeCloud({ [`POST ${tokenUrl}`]: granted })
  const environment = {
    AZURE_TENANT_ID: 'tenant',
    AZURE_CLIENT_ID: 'client',
    AZURE_FEDERATED_TOKEN_FILE: '/var/token',
  }
  await ambientAzureIdentity(processWith({ fetch, environment }, { '/var/token': 'oidc\n' }))({ resource, destination })
  assert.equal(formOf(asked[0]!).client_assertion, 'oidc')
})

test('a managed identity is requested from the metadata service, if that is enabled', async () => {
  const { fetch } = fakeCloud({})
  const metadata = fakeCloud({
    'GET 169.254.169.254/metadata/identity/oauth2/token': () => ({
      json: { access_token: 'managed', expires_on: String(startOfTime / 1000 + 60) },
    }),
  })
  const message = 'Azure: managed identities come from the metadata service of the machine, which is not enabled'
  await assert.rejects(managedIdentity(processWith({ fetch }), 'mine')({ resource, destination }), { message })
  const identity = managedIdentity(processWith({ fetch, metadataFetch: metadata.fetch }), 'mine')
  assert.deepEqual(await identity({ resource, destination }), { token: 'managed', expiresAt: startOfTime + 60_000 })
  const [asked] = metadata.asked
  assert.equal(asked!.headers.get('metadata'), 'true')
  assert.deepEqual(Object.fromEntries(asked!.url.searchParams), {
    'api-version': '2018-02-01',
    resource,
    client_id: 'mine',
  })
})
