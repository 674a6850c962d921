import assert from 'node:assert/strict'
import type { Attempt } from '../attack.ts'
import { type Manifest, manifest } from '../manifests.ts'
import type { AttackWorld } from '../world.ts'
import {
  type Account,
  accountName,
  accounts,
  actingAs,
  ownSource,
  prepareVictim,
  rbac,
  requireSilent,
  told,
  victim,
} from './victim.ts'

/** ResourceSets and Kustomizations of mallory's that depend on objects of a victim, with expressions over these. */

interface Victim {
  readonly apiVersion: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
  /** Something about it that is true. */
  readonly fact: string
}

const victims: readonly Victim[] = [
  {
    apiVersion: 'v1',
    kind: 'Secret',
    namespace: victim,
    name: 'kept',
    fact: "metadata.annotations.kept.startsWith('kept-by')",
  },
  { apiVersion: 'v1', kind: 'ConfigMap', namespace: victim, name: 'kept', fact: "data.kept.startsWith('kept-by')" },
  { apiVersion: 'v1', kind: 'ServiceAccount', namespace: victim, name: 'kept', fact: "metadata.name == 'kept'" },
  { apiVersion: rbac, kind: 'RoleBinding', namespace: victim, name: 'kept', fact: "roleRef.name == 'view'" },
  {
    apiVersion: 'source.toolkit.fluxcd.io/v1',
    kind: 'GitRepository',
    namespace: victim,
    name: 'app',
    fact: "spec.url.startsWith('http')",
  },
  {
    apiVersion: 'notification.toolkit.fluxcd.io/v1',
    kind: 'Receiver',
    namespace: victim,
    name: 'hook',
    fact: "status.webhookPath.startsWith('/hook/')",
  },
  {
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: 'Kustomization',
    namespace: victim,
    name: 'kept',
    fact: "spec.postBuild.substitute.kept.startsWith('kept-by')",
  },
  {
    apiVersion: 'fluxcd.controlplane.io/v1',
    kind: 'ResourceSet',
    namespace: victim,
    name: 'kept',
    fact: "spec.inputs[0].kept.startsWith('kept-by')",
  },
  { apiVersion: 'v1', kind: 'Namespace', name: 'victim', fact: "metadata.name == 'victim'" },
  { apiVersion: rbac, kind: 'ClusterRoleBinding', name: 'cluster-admin', fact: "roleRef.name == 'cluster-admin'" },
  { apiVersion: rbac, kind: 'ClusterRole', name: 'cluster-admin', fact: 'rules.size() > 0' },
  // A namespace of mallory's makes no namespaced kind of it.
  { apiVersion: rbac, kind: 'ClusterRoleBinding', namespace: 'mallory', name: 'cluster-admin', fact: 'true' },
  { apiVersion: rbac, kind: 'ClusterRole', namespace: 'mallory', name: 'admin', fact: 'rules.size() > 0' },
  { apiVersion: 'v1', kind: 'Namespace', namespace: 'mallory', name: 'victim', fact: 'true' },
]

const dependent = (world: AttackWorld, dependency: object, account: Account): Manifest =>
  manifest('ResourceSet', world.freshName(), {
    spec: { resources: [], dependsOn: [{ ready: true, ...dependency }], ...actingAs(account) },
  })

/** Asks what is true, what is false, and the same of something that there is not: the three answers must read the same. */
const asksOf = ({ fact, ...found }: Victim, account: Account, ready = true): Attempt => ({
  title: `ResourceSet as ${accountName(account)}: a readyExpr over the ${found.kind} ${found.namespace ?? '-'}/${found.name} ${ready ? 'tells' : 'without `ready` tells'} nothing`,
  async run(world) {
    await prepareVictim(world)
    const missing = { ...found, name: 'missing-for-sure' }
    const expressions = [fact, `!(${fact})`] as const
    const answers = await Promise.all(
      [
        { ...found, ready, readyExpr: expressions[0] },
        { ...found, ready, readyExpr: expressions[1] },
        { ...missing, ready, readyExpr: expressions[0] },
      ].map(dependency =>
        told(
          world,
          dependent(world, dependency, account),
          `/${dependency.name}`,
          `"${dependency.name}"`,
          dependency.readyExpr,
        ),
      ),
    )
    requireSilent(world, ...answers)
  },
})

/** Without this the attempts above would hold because nothing is ever evaluated. */
const asksOfOwn: Attempt = {
  title: 'ResourceSet: a readyExpr over an object of the own namespace is evaluated',
  async run(world) {
    const name = world.freshName()
    const { collection, object } = manifest('ConfigMap', name, { data: { a: 'yes' } })
    await world.mallory.request('POST', collection, object)
    const own = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'mallory', name }
    const holds = await told(world, dependent(world, { ...own, readyExpr: "data.a == 'yes'" }, undefined))
    const fails = await told(world, dependent(world, { ...own, readyExpr: "data.a == 'no'" }, undefined))
    assert.match(holds, /^True/)
    assert.match(fails, /^False DependencyNotReady/)
  },
}

/** The account's rights count, not where the object is. */
const asksWithRights: Attempt = {
  title:
    'ResourceSet: a readyExpr over an object of another namespace is evaluated for an account that may get it, and only while it may',
  async run(world) {
    const name = world.freshName()
    const roles = `/apis/${rbac}/namespaces/${victim}`
    const rules = [{ apiGroups: [''], resources: ['configmaps'], resourceNames: ['kept'], verbs: ['get'] }]
    const metadata = { name, namespace: victim }
    const subjects = [{ kind: 'ServiceAccount', name: 'default', namespace: 'mallory' }]
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name }
    await world.admin.request('POST', `${roles}/roles`, { apiVersion: rbac, kind: 'Role', metadata, rules })
    await world.admin.request('POST', `${roles}/rolebindings`, {
      apiVersion: rbac,
      kind: 'RoleBinding',
      metadata,
      roleRef,
      subjects,
    })
    const asked = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      namespace: victim,
      name: 'kept',
      readyExpr: "data.kept.startsWith('kept')",
    }
    const asDefault = () => told(world, dependent(world, asked, undefined))
    assert.match(await asDefault(), /^True/)
    assert.match(await told(world, dependent(world, asked, 'attacker')), /^False DependencyNotReady/)
    await world.admin.request('DELETE', `${roles}/rolebindings/${name}`)
    assert.match(await asDefault(), /^False DependencyNotReady/)
  },
}

// ---- errors that quote ----

/** Expressions whose errors quote what VALUE stands for. */
const quoting: Readonly<Record<string, string>> = {
  'a key that there is not': 'VALUE in metadata && metadata[VALUE] == VALUE || metadata.labels[VALUE] == VALUE',
  'an unreadable regular expression': "'x'.matches(VALUE + '(')",
  'an index out of range': "'x'.charAt(VALUE.size()) == 'x'",
  'an item that can not be joined': "['x', [VALUE]].join('') == 'x'",
  'an unknown time zone': "timestamp('2026-01-01T00:00:00Z').getHours(VALUE) == 1",
  'an element that is not optional': '[?VALUE].size() == 0',
  'a formatting clause': "('%' + VALUE).format([1]) == 'x'",
  'a duration': "duration(VALUE) > duration('1s')",
  'a number': 'int(VALUE) == 1',
}

const quotes = (what: string, kind: 'Secret' | 'ConfigMap', namespace: string): Attempt => ({
  title: `ResourceSet: an error of a readyExpr over a ${kind} of the namespace ${namespace} does not quote ${what}`,
  async run(world) {
    const value = kind === 'Secret' ? 'metadata.annotations.kept' : 'data.kept'
    const readyExpr = quoting[what]!.replaceAll('VALUE', value)
    const copy = namespace === 'mallory' ? await copyToMallory(world, kind) : undefined
    const dependency = { apiVersion: 'v1', kind, namespace, name: 'kept', readyExpr }
    requireSilent(world, await told(world, dependent(world, dependency, undefined)))
    if (copy) await world.mallory.request('DELETE', copy)
  },
})

/** An object of mallory's that holds the word to look for: no condition quotes it, either. */
const copyToMallory = async ({ mallory, secret }: AttackWorld, kind: 'Secret' | 'ConfigMap'): Promise<string> => {
  const annotations = { kept: secret }
  const { collection, path, object } = manifest(kind, 'kept', kind === 'Secret' ? {} : { data: { kept: secret } }, {
    annotations,
  })
  await mallory.request('POST', collection, { ...object, metadata: { ...object.metadata, labels: { some: 'label' } } })
  return path
}

// ---- Kustomization.dependsOn with readyExpr ----

const kustomizationFacts = [
  "dep.spec.postBuild.substitute.kept.startsWith('kept-by')",
  'dep.spec.suspend',
  "dep.spec.sourceRef.name == 'app'",
  "dep.metadata.uid != ''",
]

const kustomization = (world: AttackWorld, source: string, name: string, readyExpr: string, account: Account) =>
  manifest('Kustomization', world.freshName(), {
    spec: {
      sourceRef: { kind: 'GitRepository', name: source },
      path: './',
      prune: true,
      interval: '1h',
      targetNamespace: 'mallory',
      dependsOn: [{ name, namespace: victim, readyExpr }],
      ...actingAs(account),
    },
  })

const asksOfKustomization = (fact: string, account: Account): Attempt => ({
  title: `Kustomization as ${accountName(account)}: dependsOn with ${fact} over another namespace's reveals nothing`,
  async run(world) {
    await prepareVictim(world)
    const source = await ownSource(world)
    const asked = [
      ['kept', fact],
      ['kept', `!(${fact})`],
      ['missing-for-sure', fact],
    ] as const
    const answers = await Promise.all(
      asked.map(([name, readyExpr]) =>
        told(world, kustomization(world, source, name, readyExpr, account), `/${name}`, `"${name}"`, readyExpr),
      ),
    )
    requireSilent(world, ...answers)
  },
})

const kustomizationQuotes = (what: string): Attempt => ({
  title: `Kustomization: an error of a readyExpr over another namespace's does not quote ${what}`,
  async run(world) {
    await prepareVictim(world)
    const readyExpr = quoting[what]!.replaceAll('metadata', 'dep.metadata').replaceAll(
      'VALUE',
      'dep.spec.postBuild.substitute.kept',
    )
    requireSilent(world, await told(world, kustomization(world, await ownSource(world), 'kept', readyExpr, undefined)))
  },
})

export const dependencyExpressions: readonly Attempt[] = [
  asksOfOwn,
  asksWithRights,
  ...victims.flatMap(one => accounts.map(account => asksOf(one, account))),
  ...victims.map(one => asksOf(one, undefined, false)),
  ...Object.keys(quoting).flatMap(what =>
    (['Secret', 'ConfigMap'] as const).flatMap(kind =>
      [victim, 'mallory'].map(namespace => quotes(what, kind, namespace)),
    ),
  ),
  ...kustomizationFacts.flatMap(fact => accounts.map(account => asksOfKustomization(fact, account))),
  ...Object.keys(quoting).map(kustomizationQuotes),
]
