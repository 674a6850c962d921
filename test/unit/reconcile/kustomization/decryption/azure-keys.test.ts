import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Lock } from '../../../../bed/encrypt-sops.ts'
import { author } from '../scene.ts'
import { putSecret } from './decryption-scene.ts'
import { decrypted, fromSecret, refused, withKeyServers } from './key-servers.ts'

test('KS-239 KS-241 Azure Key Vault: a service principal with a secret, as YAML, as JSON, as `az` prints it, in UTF-16', async () => {
  const forms = [
    'tenantId: tenant\nclientId: client\nclientSecret: azure-secret\n',
    '{"tenantId": "tenant", "clientId": "client", "clientSecret": "azure-secret"}',
    '{"appId": "client", "displayName": "x", "name": "http://x", "password": "azure-secret", "tenant": "tenant"}',
  ]
  for (const form of forms) {
    await withKeyServers('azure', {}, async scene => {
      await putSecret(scene, 'keys', { 'sops.azure-kv': form })
      await decrypted(scene, fromSecret)
    })
  }
  await withKeyServers('azure', {}, async scene => {
    const utf16 = Buffer.from(`\ufeff${forms[0]}`, 'utf16le').toString('base64')
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'keys', namespace: 'default' } }
    await scene.hub.create({ ...secret, data: { 'sops.azure-kv': utf16 } }, author)
    await decrypted(scene, fromSecret)
  })
})

test('KS-240 Azure Key Vault: a service principal with a certificate', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-sops-'))
  const [key, certificate] = [join(folder, 'key'), join(folder, 'cert')]
  const subject = ['-subj', '/CN=c', '-days', '2', '-nodes', '-keyout', key, '-out', certificate]
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', ...subject], { stdio: 'ignore' })
  const pem = readFileSync(key, 'utf8') + readFileSync(certificate, 'utf8')
  rmSync(folder, { recursive: true })
  await withKeyServers('azure', {}, async (scene, { asked }) => {
    const credentials = {
      tenantId: 'tenant',
      clientId: 'client',
      clientCertificate: pem,
      clientCertificateSendChain: true,
    }
    await putSecret(scene, 'keys', { 'sops.azure-kv': JSON.stringify(credentials) })
    await decrypted(scene, fromSecret)
    const assertion = new URLSearchParams(asked[0]!.body).get('client_assertion') ?? ''
    assert.ok(JSON.parse(Buffer.from(assertion.split('.')[0]!, 'base64url').toString()).x5c)
  })
})

test('KS-242 Azure Key Vault: a client id alone means a managed identity, which this machine may not have', async () => {
  await withKeyServers('azure', {}, async scene => {
    await putSecret(scene, 'keys', { 'sops.azure-kv': 'clientId: mine\n' })
    const message = await refused(scene, fromSecret)
    assert.match(
      message,
      /Azure: managed identities come from the metadata service of the machine, which is not enabled/,
    )
  })
})

test('KS-243 Azure Key Vault: another authority host', async () => {
  await withKeyServers('azure', {}, async scene => {
    const credentials = 'tenantId: tenant\nclientId: c\nclientSecret: s\nauthorityHost: https://login.example.net\n'
    await putSecret(scene, 'keys', { 'sops.azure-kv': credentials })
    assert.match(await refused(scene, fromSecret), /login\.example\.net could not be reached/)
  })
})

test('Azure Key Vault: a token never goes to a server that only calls itself a vault', async () => {
  const evil =
    (lock: Lock): Lock =>
    async dataKey => {
      const [type, entry] = await lock(dataKey)
      return [type, { ...entry, vault_url: 'https://kms.eu-west-1.amazonaws.com' }]
    }
  await withKeyServers(
    'azure',
    {},
    async (scene, { asked }) => {
      const credentials = 'tenantId: tenant\nclientId: client\nclientSecret: azure-secret\n'
      await putSecret(scene, 'keys', { 'sops.azure-kv': credentials })
      assert.match(await refused(scene, fromSecret), /no token is sent to it/)
      assert.ok(asked.every(({ headers }) => !headers.authorization))
    },
    evil,
  )
})

test('KS-264 Azure Key Vault: the client of the environment', async () => {
  const environment = { AZURE_TENANT_ID: 'tenant', AZURE_CLIENT_ID: 'c', AZURE_CLIENT_SECRET: 'azure-secret' }
  await withKeyServers('azure', { environment }, scene => decrypted(scene))
})
