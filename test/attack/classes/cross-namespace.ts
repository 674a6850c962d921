import assert from 'node:assert/strict'
import type { AttackClass, Attempt } from '../attack.ts'
import { manifest, plainSpecs } from '../manifests.ts'
import { verdictOf } from '../world.ts'

interface Reach {
  readonly kind: string
  readonly title: string
  /** A spec that reaches into the victim's namespace, or into the cluster scope. */
  spec(url: string): object
}

const inVictim = { name: 'app', namespace: 'victim' }

const reaches: readonly Reach[] = [
  {
    kind: 'Kustomization',
    title: 'a sourceRef of another namespace',
    spec: () => ({ sourceRef: { kind: 'GitRepository', ...inVictim }, path: './', prune: true, interval: '1h' }),
  },
  ...['kept', '../victim/kept', 'victim/kept'].map(name => ({
    kind: 'GitRepository',
    title: `a secretRef that names ${name}`,
    spec: (url: string) => ({ ...plainSpecs(url).GitRepository, secretRef: { name } }),
  })),
  {
    kind: 'Alert',
    title: 'event sources of another namespace',
    spec: () => ({
      providerRef: { name: 'none' },
      eventSources: [{ kind: 'GitRepository', ...inVictim }],
    }),
  },
  {
    kind: 'Receiver',
    title: 'resources of another namespace',
    spec: () => ({
      type: 'generic',
      secretRef: { name: 'none' },
      resources: [{ kind: 'GitRepository', ...inVictim }],
    }),
  },
  ...['kept', '../victim/kept'].map(name => ({
    kind: 'Kustomization',
    title: `a kubeconfig Secret that names ${name}`,
    spec: () => ({
      sourceRef: { kind: 'GitRepository', name: 'none' },
      path: './',
      prune: true,
      interval: '1h',
      kubeConfig: { secretRef: { name } },
    }),
  })),
]

const finds = ({ kind, title, spec }: Reach): Attempt => ({
  title: `${kind}: ${title} brings nothing`,
  async run({ mallory, freshName, malloryRepo, secret }) {
    const own = manifest(kind, freshName(), { spec: spec(malloryRepo.url) })
    const created = await mallory.request('POST', own.collection, own.object)
    if (created.status === 201) {
      // An Alert is not reconciled, so it has no verdict.
      if (kind !== 'Alert') assert.notEqual((await verdictOf(mallory, own.path)).status, 'True')
      const { body } = await mallory.request('GET', own.path)
      assert.doesNotMatch(JSON.stringify(body), new RegExp(secret))
    } else assert.ok([400, 403, 422].includes(created.status), `${created.status}`)
    await mallory.request('DELETE', own.path)
  },
})

/** Manifests in mallory's own repository that lead out of its namespace: what a push can do. */
const manifests: Readonly<Record<string, object>> = {
  'a ConfigMap in another namespace': {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'try', namespace: 'victim' },
  },
  'a change of the Secret of another namespace': {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'kept', namespace: 'victim' },
  },
  'a ClusterRoleBinding': {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'try' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ kind: 'ServiceAccount', name: 'attacker', namespace: 'mallory' }],
  },
  'a Namespace': { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'try' } },
  'a Kustomization in another namespace': {
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: 'Kustomization',
    metadata: { name: 'try', namespace: 'victim' },
    spec: { sourceRef: { kind: 'GitRepository', name: 'app' }, path: './', prune: true, interval: '1h' },
  },
  'a CustomResourceDefinition': {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'tries.mallory.example' },
    spec: {
      group: 'mallory.example',
      names: { kind: 'Try', plural: 'tries' },
      scope: 'Namespaced',
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
    },
  },
}

const applies = (title: string, accounts: readonly (string | undefined)[]): Attempt[] =>
  accounts.map(serviceAccountName => ({
    title: `ResourceSet as ${serviceAccountName ?? 'the default account'}: ${title} is refused`,
    async run({ mallory, freshName }) {
      const resources = [manifests[title]]
      const set = manifest('ResourceSet', freshName(), {
        spec: { resources, ...(serviceAccountName && { serviceAccountName }) },
      })
      const { status } = await mallory.request('POST', set.collection, set.object)
      assert.equal(status, 201)
      const ready = await verdictOf(mallory, set.path)
      assert.equal(ready.status, 'False', ready.message)
      await mallory.request('DELETE', set.path)
    },
  }))

/** References and manifests that lead out of the own namespace. */
export const crossNamespace: AttackClass = {
  name: 'cross-namespace',
  rule: 'A name in a spec leads out of the namespace where Flux allows it, and the flag does not forbid it',
  attempts: [
    ...reaches.map(finds),
    ...Object.keys(manifests).flatMap(title => applies(title, [undefined, 'attacker', 'system:masters'])),
  ],
}
