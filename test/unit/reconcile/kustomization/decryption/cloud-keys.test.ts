import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { cloudKeys } from '../../../../../lib/compose/cloud-keys.ts'
import type { KustomizationSpec } from '../../../../../lib/foundations/kinds/kustomization.ts'
import type { AmbientPorts, Environment } from '../../../../../lib/platform/cloud/cloud-ports.ts'
import { encryptSopsYaml, type Lock } from '../../../../bed/encrypt-sops.ts'
import { type Expected, type KeyServers, startKeyServers } from '../../../../bed/key-servers.ts'
import { author, kustomizationRef, onStage, type Scene } from '../scene.ts'
import { putSecret, regex, secretManifest, secretTexts } from './decryption-scene.ts'

type DecryptionSpec = Partial<NonNullable<KustomizationSpec['decryption']>>

const google = generateKeyPairSync('rsa', { modulusLength: 2048 })
const googleFile = JSON.stringify({
  type: 'service_account',
  project_id: 'p',
  private_key_id: 'k',
  private_key: google.privateKey.export({ type: 'pkcs8', format: 'pem' }),
  client_email: 'robot@p.iam.gserviceaccount.com',
})

const expected: Expected = {
  awsKeys: ['AKIATEAM'],
  azureSecret: 'azure-secret',
  googlePublicKey: String(google.publicKey.export({ type: 'spki', format: 'pem' })),
  vaultToken: 'hvs.team',
}

interface Process {
  readonly environment?: Environment
  readonly files?: Readonly<Record<string, string>>
  readonly servers?: Partial<Expected>
  readonly issueToken?: (account: { namespace: string; name: string }, audience: string) => Promise<string>
}

/** A hub that reaches the key servers, and a source with a Secret that only one of them can open. */
const withKeyServers = async (
  which: keyof KeyServers['locks'],
  { environment = {}, files = {}, servers: more, issueToken }: Process,
  story: (scene: Scene, servers: KeyServers) => Promise<void>,
  changed: (lock: Lock, servers: KeyServers) => Lock = lock => lock,
): Promise<void> => {
  await using servers = await startKeyServers({ ...expected, ...more })
  const ambient: AmbientPorts = {
    fetch: servers.fetch,
    clock: { now: () => Date.now() },
    environment: { AWS_REGION: 'eu-west-1', ...environment },
    readFile: async path => {
      const text = files[path]
      if (text === undefined) throw new Error(`ENOENT: ${path}`)
      return text
    },
  }
  const keys = { ...cloudKeys(ambient), ...(issueToken && { issueToken }) }
  await onStage({ cloudKeys: keys, settings: settingsOf(which) }, async scene => {
    const lock = changed(servers.locks[which], servers)
    const text = await encryptSopsYaml(secretManifest('s', { k: 'opened' }), { locks: [lock], encryptedRegex: regex })
    await scene.push('1', { 's.yaml': text })
    await story(scene, servers)
  })
}

const settingsOf = (which: string) => ({
  objectLevelWorkloadIdentity: true,
  ...(which === 'vault' && { sopsVaultConfigMap: { namespace: 'default', name: 'vaults' } }),
})

const decrypted = async (scene: Scene, decryption: DecryptionSpec = {}): Promise<void> => {
  await scene.kustomize('app', { decryption: { provider: 'sops', ...decryption } })
  assert.deepEqual(await scene.conditions('app'), ['Ready=True ReconciliationSucceeded: Applied revision: main@sha1:1'])
  assert.deepEqual(await secretTexts(scene, 's'), { k: 'opened' })
}

/** The key's own line of the report, joined: it is broken where it is long. */
const refused = async (scene: Scene, decryption: DecryptionSpec = {}): Promise<string> => {
  await scene.kustomize('app', { decryption: { provider: 'sops', ...decryption } })
  assert.equal(await secretTexts(scene, 's'), undefined)
  const message = (await scene.conditions('app')).find(line => line.startsWith('Ready=False')) ?? ''
  return message.replaceAll(/\n +(- )?\| /g, ' ')
}

const fromSecret = { secretRef: { name: 'keys' } }
const awsKeys = 'aws_access_key_id: AKIATEAM\naws_secret_access_key: s\naws_session_token: t\n'

test('KS-238 AWS KMS: keys from the Secret, with the encryption context of the file', async () => {
  await withKeyServers('kms', {}, async (scene, { asked }) => {
    await putSecret(scene, 'keys', { 'sops.aws-kms': awsKeys })
    await decrypted(scene, fromSecret)
    assert.equal(asked.at(-1)!.headers['x-amz-security-token'], 't')
  })
})

test('KS-262 KS-266 AWS KMS: the role of this process when there is no Secret', async () => {
  const environment = { AWS_ACCESS_KEY_ID: 'ASIAOWN', AWS_SECRET_ACCESS_KEY: 's', AWS_SESSION_TOKEN: 't' }
  await withKeyServers('kms', { environment, servers: { awsKeys: ['ASIAOWN'] } }, scene => decrypted(scene))
})

test('KS-267 AWS KMS: SOPS_KMS_ARN is for encrypting: what decrypts is the key that the file names, as with sops', async () => {
  const environment = {
    AWS_ACCESS_KEY_ID: 'AKIATEAM',
    AWS_SECRET_ACCESS_KEY: 's',
    SOPS_KMS_ARN: 'arn:aws:kms:us-east-1:1:key/other',
  }
  await withKeyServers('kms', { environment }, scene => decrypted(scene))
})

test('KS-266 AWS KMS: a mounted ~/.aws directory', async () => {
  const files = { '/home/keelson/.aws/credentials': '[default]\naws_access_key_id=AKIAFILE\naws_secret_access_key=s\n' }
  const servers = { awsKeys: ['AKIAFILE'] }
  await withKeyServers('kms', { environment: { HOME: '/home/keelson' }, files, servers }, scene => decrypted(scene))
})

test('KS-263 AWS KMS: the role and the profile that the file names', async () => {
  const arn = 'arn:aws:iam::111122223333:role/sops'
  const files = { '/aws': '[team]\naws_access_key_id=AKIAPROFILE\naws_secret_access_key=s\n' }
  const process = {
    environment: { AWS_SHARED_CREDENTIALS_FILE: '/aws' },
    files,
    servers: { awsKeys: ['ASIAROLE'], awsRole: { arn } },
  }
  const named =
    (lock: Lock): Lock =>
    async dataKey => {
      const [type, entry] = await lock(dataKey)
      return [type, { ...entry, role: arn, aws_profile: 'team' }]
    }
  await withKeyServers(
    'kms',
    process,
    async (scene, { asked }) => {
      await decrypted(scene)
      assert.match(String(asked[0]!.headers.authorization), /Credential=AKIAPROFILE\//)
    },
    named,
  )
})

test('KS-258 AWS KMS: a ServiceAccount takes its role with its name as external ID', async () => {
  const arn = 'arn:aws:iam::111122223333:role/team'
  const environment = { AWS_ACCESS_KEY_ID: 'ASIAOWN', AWS_SECRET_ACCESS_KEY: 's' }
  const servers = { awsKeys: ['ASIAROLE'], awsRole: { arn, externalId: 'system:serviceaccount:default:decryptor' } }
  await withKeyServers('kms', { environment, servers }, async scene => {
    await account(scene, { 'eks.amazonaws.com/role-arn': arn })
    await decrypted(scene, { serviceAccountName: 'decryptor' })
  })
})

test('KS-258 AWS KMS: a ServiceAccount shows its token where AWS can verify it', async () => {
  const arn = 'arn:aws:iam::111122223333:role/team'
  const asked: unknown[] = []
  const process = {
    servers: { awsKeys: ['ASIAROLE'], awsRole: { arn } },
    issueToken: async (...order: unknown[]) => {
      asked.push(order)
      return 'a.b.c'
    },
  }
  await withKeyServers('kms', process, async (scene, servers) => {
    await account(scene, { 'eks.amazonaws.com/role-arn': arn })
    await decrypted(scene, { serviceAccountName: 'decryptor' })
    assert.deepEqual(asked, [[{ namespace: 'default', name: 'decryptor' }, 'sts.amazonaws.com']])
    assert.equal(new URLSearchParams(servers.asked[0]!.body).get('WebIdentityToken'), 'a.b.c')
  })
})

test('KS-259 KS-269 a key in the Secret wins over the ServiceAccount and over this process', async () => {
  const environment = { AWS_ACCESS_KEY_ID: 'ASIAOWN', AWS_SECRET_ACCESS_KEY: 's' }
  await withKeyServers('kms', { environment }, async (scene, { asked }) => {
    await account(scene, {})
    await putSecret(scene, 'keys', { 'sops.aws-kms': awsKeys })
    await decrypted(scene, { ...fromSecret, serviceAccountName: 'decryptor' })
    assert.equal(asked.length, 1)
  })
})

test('KS-258 a ServiceAccount without the annotation is told which one', async () => {
  await withKeyServers('kms', {}, async scene => {
    await account(scene, {})
    const message = await refused(scene, { serviceAccountName: 'decryptor' })
    assert.match(message, /AWS: ServiceAccount default\/decryptor has no annotation eks\.amazonaws\.com\/role-arn/)
  })
})

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
    assert.match(await refused(scene, fromSecret), /login\.example\.net could not be asked/)
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
      assert.match(await refused(scene, fromSecret), /it is not trusted with a token/)
      assert.ok(asked.every(({ headers }) => !headers.authorization))
    },
    evil,
  )
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

test('KS-264 Azure Key Vault: the client of the environment', async () => {
  const environment = { AZURE_TENANT_ID: 'tenant', AZURE_CLIENT_ID: 'c', AZURE_CLIENT_SECRET: 'azure-secret' }
  await withKeyServers('azure', { environment }, scene => decrypted(scene))
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

test('KS-258 without a public issuer, a ServiceAccount is told why clouds do not know it', async () => {
  await withKeyServers('azure', {}, async scene => {
    await account(scene, { 'azure.workload.identity/tenant-id': 't', 'azure.workload.identity/client-id': 'c' })
    const message = await refused(scene, { serviceAccountName: 'decryptor' })
    assert.match(
      message,
      /has no token that Azure could verify: the hub needs a public issuer address; use a Secret instead/,
    )
  })
})

test('no credential of a service stands in a message', async () => {
  await withKeyServers('vault', {}, async scene => {
    await putSecret(scene, 'keys', { 'sops.vault-token': 'hvs.wrong-token' })
    const message = await refused(scene, fromSecret)
    assert.match(message, /Vault: decrypt: 127\.0\.0\.1:\d+ answered 403 permission denied/)
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

const account = async ({ hub }: Scene, annotations: Readonly<Record<string, string>>): Promise<void> => {
  const metadata = { name: 'decryptor', namespace: 'default', annotations }
  await hub.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata }, author)
}

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
