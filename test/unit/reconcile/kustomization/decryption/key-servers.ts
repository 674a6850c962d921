import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { cloudKeys } from '../../../../../lib/compose/cloud-keys.ts'
import type { KustomizationSpec } from '../../../../../lib/foundations/kinds/kustomization.ts'
import type { AmbientPorts, Environment } from '../../../../../lib/platform/cloud/cloud-ports.ts'
import type { OwnKeys } from '../../../../../lib/reconcile/kustomization/decryption/load-decryptor.ts'
import { encryptSopsYaml, type Lock } from '../../../../bed/encrypt-sops.ts'
import { type Expected, type KeyServers, startKeyServers } from '../../../../bed/key-servers.ts'
import { author, onStage, type Scene } from '../scene.ts'
import { regex, secretManifest, secretTexts } from './decryption-scene.ts'

type DecryptionSpec = Partial<NonNullable<KustomizationSpec['decryption']>>

export const google = generateKeyPairSync('rsa', { modulusLength: 2048 })

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
  readonly ownKeys?: OwnKeys
}

/** A hub that reaches the key servers, and a source with a Secret that only one of them can open. */
export const withKeyServers = async (
  which: keyof KeyServers['locks'],
  { environment = {}, files = {}, servers: more, issueToken, ownKeys }: Process,
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
  const keys = { ...cloudKeys(ambient), ...(issueToken && { issueToken }), ...(ownKeys && { ownKeys }) }
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

export const decrypted = async (scene: Scene, decryption: DecryptionSpec = {}): Promise<void> => {
  await scene.kustomize('app', { decryption: { provider: 'sops', ...decryption } })
  assert.deepEqual(await scene.conditions('app'), ['Ready=True ReconciliationSucceeded: Applied revision: main@sha1:1'])
  assert.deepEqual(await secretTexts(scene, 's'), { k: 'opened' })
}

/** The key's own line of the report, joined: it is broken where it is long. */
export const refused = async (scene: Scene, decryption: DecryptionSpec = {}): Promise<string> => {
  await scene.kustomize('app', { decryption: { provider: 'sops', ...decryption } })
  assert.equal(await secretTexts(scene, 's'), undefined)
  const message = (await scene.conditions('app')).find(line => line.startsWith('Ready=False')) ?? ''
  return message.replaceAll(/\n +(- )?\| /g, ' ')
}

export const fromSecret = { secretRef: { name: 'keys' } }

export const awsKeys = 'aws_access_key_id: AKIATEAM\naws_secret_access_key: s\naws_session_token: t\n'

export const account = async ({ hub }: Scene, annotations: Readonly<Record<string, string>>): Promise<void> => {
  const metadata = { name: 'decryptor', namespace: 'default', annotations }
  await hub.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata }, author)
}
