import assert from 'node:assert/strict'
import { test } from 'node:test'
import { kustomizationRef } from '../../../hub/store/world.ts'
import { author, onStage, type Scene } from '../scene.ts'
import { putSecret } from './decryption-scene.ts'
import { account, awsKeys, decrypted, fromSecret, google, refused, withKeyServers } from './key-servers.ts'

const googleFile = JSON.stringify({
  type: 'service_account',
  project_id: 'p',
  private_key_id: 'k',
  private_key: google.privateKey.export({ type: 'pkcs8', format: 'pem' }),
  client_email: 'robot@p.iam.gserviceaccount.com',
})

const vaults = async ({ hub }: Scene, address: string): Promise<void> => {
  const config = `instances:\n- address: ${address}\n  loginPath: auth/kubernetes/login\n`
  const ref = { group: '', kind: 'ConfigMap', namespace: 'default', name: 'vaults' }
  const object = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'vaults', namespace: 'default' },
    data: { 'config.yaml': config },
  }
  if (await hub.get(ref)) await hub.delete(ref, {})
  await hub.create(object, author)
}

test('KS-259 KS-269 a key in the Secret wins over the ServiceAccount and over this process', async () => {
  const environment = { AWS_ACCESS_KEY_ID: 'ASIAOWN', AWS_SECRET_ACCESS_KEY: 's' }
  await withKeyServers('kms', { environment }, async (scene, { asked }) => {
    await account(scene, {})
    await putSecret(scene, 'keys', { 'sops.aws-kms': awsKeys })
    await decrypted(scene, { ...fromSecret, serviceAccountName: 'decryptor' })
    assert.equal(asked.length, 1)
  })
})

test('KS-258 a ServiceAccount without the annotation gets an error that names it', async () => {
  await withKeyServers('kms', {}, async scene => {
    await account(scene, {})
    const message = await refused(scene, { serviceAccountName: 'decryptor' })
    assert.match(message, /AWS: ServiceAccount default\/decryptor has no annotation eks\.amazonaws\.com\/role-arn/)
  })
})

test('KS-244 GCP KMS: a service account key from the Secret', async () => {
  await withKeyServers('gcp', {}, async scene => {
    await putSecret(scene, 'keys', { 'sops.gcp-kms': `${googleFile}\n` })
    await decrypted(scene, fromSecret)
  })
})

test('KS-264 KS-268 GCP KMS: the file that GOOGLE_APPLICATION_CREDENTIALS names', async () => {
  const environment = { GOOGLE_APPLICATION_CREDENTIALS: '/gcp.json' }
  await withKeyServers('gcp', { environment, files: { '/gcp.json': googleFile } }, scene => decrypted(scene))
})

test('KS-245 Vault: the token from the Secret, wherever the file says that Vault is', async () => {
  await withKeyServers('vault', {}, async scene => {
    await putSecret(scene, 'keys', { 'sops.vault-token': 'hvs.team\n' })
    await decrypted(scene, fromSecret)
  })
})

test('KS-265 Vault: VAULT_TOKEN comes last, and only goes where the operator said', async () => {
  const environment = { VAULT_TOKEN: 'hvs.team' }
  await withKeyServers('vault', { environment }, async (scene, { asked }) => {
    assert.match(
      await refused(scene),
      /VAULT_TOKEN is not sent to .*: it is neither VAULT_ADDR nor in SOPS_HC_VAULT_ALLOWLIST/,
    )
    assert.equal(asked.length, 0)
  })
  const allowed = { ...environment, SOPS_HC_VAULT_ALLOWLIST: 'all' }
  await withKeyServers('vault', { environment: allowed }, scene => decrypted(scene))
})

test('KS-260 Vault: a ServiceAccount logs in with its token, at servers that the operator lists', async () => {
  const process = { servers: { vaultRole: 'default_decryptor' }, issueToken: async () => 'a.b.c' }
  await withKeyServers('vault', process, async (scene, { vaultAddress }) => {
    await account(scene, {})
    await vaults(scene, 'https://elsewhere.example')
    const message = await refused(scene, { serviceAccountName: 'decryptor' })
    assert.match(message, /no login path is configured for address/)
    await scene.hub.delete(kustomizationRef('app'), {})
    await scene.settle()
    await vaults(scene, vaultAddress)
    await decrypted(scene, { serviceAccountName: 'decryptor' })
  })
})

test('KS-258 without a public issuer, a ServiceAccount gets an error that says why clouds do not know it', async () => {
  await withKeyServers('azure', {}, async scene => {
    await account(scene, { 'azure.workload.identity/tenant-id': 't', 'azure.workload.identity/client-id': 'c' })
    const message = await refused(scene, { serviceAccountName: 'decryptor' })
    assert.match(
      message,
      /has no token that Azure can verify: the hub needs a public issuer address; use a Secret instead/,
    )
  })
})

test('messages contain no credentials of services', async () => {
  await withKeyServers('vault', {}, async scene => {
    await putSecret(scene, 'keys', { 'sops.vault-token': 'hvs.wrong-token' })
    const message = await refused(scene, fromSecret)
    assert.match(message, /Vault: decrypt: 127\.0\.0\.1:\d+ returned 403 permission denied/)
    assert.doesNotMatch(message, /hvs\.wrong/)
  })
})

test('an entry that can not be read is named with its Secret, without what it holds', async () => {
  const entries = {
    'sops.aws-kms': ['aws_access_key_id: hush', 'aws_access_key_id and aws_secret_access_key are required'],
    'sops.azure-kv': [
      'tenantId: hush',
      "invalid data: requires a 'clientId' field, a combination of 'tenantId', 'clientId' and 'clientSecret', or 'tenantId', 'clientId' and 'clientCertificate'",
    ],
    'sops.gcp-kms': ['hush', 'GCP: invalid credentials file: not a JSON object'],
  }
  for (const [name, [content, problem]] of Object.entries(entries)) {
    await onStage({}, async scene => {
      await putSecret(scene, 'keys', { [name]: content! })
      await scene.push('1', {})
      const message = await refused(scene, fromSecret)
      const expectedMessage = `failed to import '${name}' data from sops decryption Secret 'default/keys': ${problem}`
      assert.equal(message, `Ready=False BuildFailed: ${expectedMessage}`)
    })
  }
})
