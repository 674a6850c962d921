import assert from 'node:assert/strict'
import type { KubernetesObject } from '../../../lib/foundations/kinds/object.ts'
import { eventually } from '../../bed/eventually.ts'
import type { AttackClass, Attempt } from '../attack.ts'
import { type Manifest, manifest } from '../manifests.ts'
import { type AttackWorld, readyOf, verdictOf } from '../world.ts'

/** Whom mallory's objects may act as: the default account, one with full rights in the own namespace, and two that there are not. */
const accounts = [undefined, 'attacker', 'nobody', 'system:masters'] as const
type Account = (typeof accounts)[number]

const accountName = (account: Account): string => account ?? 'the default account'
const actingAs = (account: Account): object => (account ? { serviceAccountName: account } : {})

/** What an object tells its author: the condition Ready, without what names the object itself and what it refers to. */
const told = async (world: AttackWorld, { collection, path, object }: Manifest, ...names: readonly string[]) => {
  const created = await world.mallory.request('POST', collection, object)
  assert.equal(created.status, 201, JSON.stringify(created.body))
  const { status, reason, message } = await verdictOf(world.mallory, path)
  await world.mallory.request('DELETE', path)
  const own = [object.metadata.name, ...names]
  return own.reduce((text, name) => text.replaceAll(name, '<name>'), `${status} ${reason}: ${message}`)
}

const requireSilent = (world: AttackWorld, ...answers: readonly string[]): void => {
  for (const answer of answers) {
    assert.doesNotMatch(answer, /^True/)
    assert.doesNotMatch(answer, new RegExp(`${world.secret}|${Buffer.from(world.secret).toString('base64')}`))
  }
  assert.deepEqual(new Set(answers).size, 1, `the answers differ:\n${answers.join('\n')}`)
}

// ---- ResourceSet.dependsOn with readyExpr ----

interface Victim {
  readonly apiVersion: string
  readonly kind: string
  readonly namespace?: string
  readonly name: string
  /** Something about it that is true. */
  readonly fact: string
}

const victim = 'victim'
const rbac = 'rbac.authorization.k8s.io/v1'

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

/** What the victim has besides; there once, whoever asks for it first. */
const prepareVictim = async ({ admin, secret }: AttackWorld): Promise<void> => {
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

const ownSource = async (world: AttackWorld): Promise<string> => {
  const spec = { url: world.malloryRepo.url, ref: { branch: 'main' }, interval: '1h' }
  const { collection, path, object } = manifest('GitRepository', 'for-references', { spec })
  await world.mallory.request('POST', collection, object)
  await verdictOf(world.mallory, path)
  return object.metadata.name
}

const asksOfKustomization = (fact: string, account: Account): Attempt => ({
  title: `Kustomization as ${accountName(account)}: dependsOn with ${fact} over another namespace's tells nothing`,
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

// ---- what is checked and written on the cluster that is applied to ----

/** A Kustomization of mallory's own repository, with more in its spec; told what became of it within a second. */
const applied = async (world: AttackWorld, more: object): Promise<string> => {
  const { object, collection, path } = manifest('Kustomization', world.freshName(), {
    spec: {
      sourceRef: { kind: 'GitRepository', name: await ownSource(world) },
      path: './',
      prune: true,
      interval: '1h',
      targetNamespace: 'mallory',
      ...more,
    },
  })
  assert.equal((await world.mallory.request('POST', collection, object)).status, 201)
  try {
    return await eventually(
      async () => {
        const { status = '', message = '' } = (await readyOf(world.mallory, path)) ?? {}
        return status === 'True' || status === 'False' ? `${status} ${message}` : null
      },
      { within: 1_000 },
    ).catch(() => 'nothing within a second')
  } finally {
    await world.mallory.request('DELETE', path)
  }
}

const checked = (namespace: string, name: string) => [{ apiVersion: 'v1', kind: 'ConfigMap', namespace, name }]

/** Without this the attempts below would hold because nothing is ever healthy. */
const checksOwn: Attempt = {
  title: 'Kustomization: spec.healthChecks[] of an object of the own namespace are looked at',
  async run(world) {
    assert.match(await applied(world, { healthChecks: checked('mallory', 'kept') }), /^True/)
  },
}

const checks = (what: string, account: Account, more: object): Attempt => ({
  title: `Kustomization as ${accountName(account)}: spec.healthChecks[] of another namespace's ${what} tell nothing`,
  async run(world) {
    const spec = (name: string) => ({
      healthChecks: checked(victim, name),
      timeout: '30s',
      ...more,
      ...actingAs(account),
    })
    const [there, absent] = await Promise.all(['kept', 'missing-for-sure'].map(name => applied(world, spec(name))))
    assert.doesNotMatch(there!, new RegExp(`^True|${world.secret}`))
    assert.equal(there, absent)
  },
})

const judging = (current: string) => ({ healthCheckExprs: [{ apiVersion: 'v1', kind: 'ConfigMap', current }] })

const writesElsewhere = (account: Account): Attempt => ({
  title: `Kustomization as ${accountName(account)}: spec.targetNamespace of the victim is not written to`,
  async run(world) {
    const path = `/api/v1/namespaces/${victim}/configmaps`
    const before = JSON.stringify((await world.admin.request('GET', path)).body)
    assert.doesNotMatch(await applied(world, { targetNamespace: victim, ...actingAs(account) }), /^True/)
    const versionless = (text: string) => text.replace(/^.*?"items"/, '')
    assert.equal(versionless(JSON.stringify((await world.admin.request('GET', path)).body)), versionless(before))
  },
})

// ---- selectors over namespaces ----

const selectors: Readonly<Record<string, object>> = {
  'all namespaces': { namespace: '*' },
  'all namespaces, by name': { namespace: '*', name: 'kept' },
  'all namespaces, by label': { namespace: '*', matchExpressions: [{ key: 'kept', operator: 'Exists' }] },
  'the namespace of the victim': { namespace: victim },
  'the namespace of the victim, by name': { namespace: victim, name: 'kept' },
  'a name that climbs': { name: '../../victim/externalartifacts/kept' },
  'a namespace that climbs': { namespace: 'mallory/../victim', name: 'kept' },
}

const selects = (type: string, selector: string, account: Account): Attempt => ({
  title: `ResourceSetInputProvider of type ${type} as ${accountName(account)}: selects nothing in ${selector}`,
  async run(world) {
    await prepareVictim(world)
    const spec = { type, selectors: [selectors[selector]], ...actingAs(account) }
    const provider = manifest('ResourceSetInputProvider', world.freshName(), { spec })
    const created = await world.mallory.request('POST', provider.collection, provider.object)
    if (created.status !== 201) return
    await verdictOf(world.mallory, provider.path)
    const { body } = await world.mallory.request('GET', provider.path)
    const { status } = body as KubernetesObject
    assert.doesNotMatch(JSON.stringify(status), new RegExp(`${world.secret}|"namespace":"victim"`))
    await world.mallory.request('DELETE', provider.path)
  },
})

/** Who reads another object, and with whose rights. */
export const references: AttackClass = {
  name: 'references',
  rule: 'What an expression sees takes the right to get it, of the account that acts; errors quote no values',
  attempts: [
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
    checksOwn,
    ...accounts
      .slice(0, 2)
      .flatMap(account => [
        checks('ConfigMap', account, {}),
        checks('ConfigMap by an expression', account, judging("data.kept.startsWith('kept-by')")),
        checks('ConfigMap by one that fails', account, judging("data[data.kept] == 'x'")),
        writesElsewhere(account),
      ]),
    ...['ExternalArtifact', 'Clusters'].flatMap(type =>
      Object.keys(selectors).flatMap(selector => accounts.slice(0, 2).map(account => selects(type, selector, account))),
    ),
  ],
}
