import assert from 'node:assert/strict'
import type { KubernetesObject } from '../../../lib/foundations/kinds/object.ts'
import { eventually } from '../../bed/eventually.ts'
import type { AttackClass, Attempt } from '../attack.ts'
import { manifest } from '../manifests.ts'
import { type AttackWorld, readyOf, verdictOf } from '../world.ts'
import { dependencyExpressions } from './dependency-expressions.ts'
import { type Account, accountName, accounts, actingAs, ownSource, prepareVictim, victim } from './victim.ts'

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
  title: `Kustomization as ${accountName(account)}: spec.healthChecks[] of another namespace's ${what} reveal nothing`,
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
    ...dependencyExpressions,
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
