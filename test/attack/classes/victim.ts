import assert from 'node:assert/strict'
import { type Manifest, manifest } from '../manifests.ts'
import { type AttackWorld, verdictOf } from '../world.ts'

/** What a victim has and mallory's objects refer to, and what they tell their author of it. */

/** Whom mallory's objects may act as: the default account, one with full rights in the own namespace, and two that there are not. */
export const accounts = [undefined, 'attacker', 'nobody', 'system:masters'] as const
export type Account = (typeof accounts)[number]

export const accountName = (account: Account): string => account ?? 'the default account'
export const actingAs = (account: Account): object => (account ? { serviceAccountName: account } : {})

/** What an object tells its author: the condition Ready, without what names the object itself and what it refers to. */
export const told = async (world: AttackWorld, { collection, path, object }: Manifest, ...names: readonly string[]) => {
  const created = await world.mallory.request('POST', collection, object)
  assert.equal(created.status, 201, JSON.stringify(created.body))
  const { status, reason, message } = await verdictOf(world.mallory, path)
  await world.mallory.request('DELETE', path)
  const own = [object.metadata.name, ...names]
  return own.reduce((text, name) => text.replaceAll(name, '<name>'), `${status} ${reason}: ${message}`)
}

export const requireSilent = (world: AttackWorld, ...answers: readonly string[]): void => {
  for (const answer of answers) {
    assert.doesNotMatch(answer, /^True/)
    assert.doesNotMatch(answer, new RegExp(`${world.secret}|${Buffer.from(world.secret).toString('base64')}`))
  }
  assert.deepEqual(new Set(answers).size, 1, `the answers differ:\n${answers.join('\n')}`)
}

export const victim = 'victim'
export const rbac = 'rbac.authorization.k8s.io/v1'

/** What the victim has besides; there once, whoever asks for it first. */
export const prepareVictim = async ({ admin, secret }: AttackWorld): Promise<void> => {
  const kept = (kind: string, fields: Readonly<Record<string, unknown>>) =>
    manifest(kind, 'kept', fields, { namespace: victim })
  const objects = [
    kept('ServiceAccount', {}),
    kept('Kustomization', {
      spec: {
        suspend: true,
        sourceRef: { kind: 'GitRepository', name: 'app' },
        path: './',
        prune: true,
        interval: '1h',
        postBuild: { substitute: { kept: secret } },
      },
    }),
    kept('ResourceSet', { spec: { inputs: [{ kept: secret }], resources: [] } }),
    kept('ExternalArtifact', { spec: { sourceRef: { kind: 'ArtifactGenerator', name: 'kept' } } }),
  ]
  for (const { collection, object } of objects) await admin.request('POST', collection, object)
  const labelled = `/apis/source.toolkit.fluxcd.io/v1/namespaces/${victim}/externalartifacts/kept`
  await admin.patch(labelled, { metadata: { labels: { kept: secret } } })
  await admin.request('POST', `/apis/${rbac}/namespaces/${victim}/rolebindings`, {
    apiVersion: rbac,
    kind: 'RoleBinding',
    metadata: { name: 'kept', namespace: victim },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
    subjects: [{ kind: 'ServiceAccount', name: 'kept', namespace: victim }],
  })
}

export const ownSource = async (world: AttackWorld): Promise<string> => {
  const spec = { url: world.malloryRepo.url, ref: { branch: 'main' }, interval: '1h' }
  const { collection, path, object } = manifest('GitRepository', 'for-references', { spec })
  await world.mallory.request('POST', collection, object)
  await verdictOf(world.mallory, path)
  return object.metadata.name
}
