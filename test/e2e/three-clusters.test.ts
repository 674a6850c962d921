/** From a pull request to three clusters: one comment, plans that wait after the merge, decisions by name, an edit in between, and the way back. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Approval } from '../../lib/foundations/kinds/approval.ts'
import type { Kustomization } from '../../lib/foundations/kinds/kustomization.ts'
import type { Plan } from '../../lib/foundations/kinds/plan.ts'
import type { Run } from '../../lib/foundations/kinds/run.ts'
import { conditionOf } from '../../lib/foundations/rules/conditions.ts'
import { type Cluster, cluster } from '../bed/cluster.ts'
import { ending } from '../bed/command.ts'
import { eventually } from '../bed/eventually.ts'
import { kubeconfigSecret } from '../bed/fleet-objects.ts'
import { forgeRepository } from '../bed/forge.ts'
import { hub } from '../bed/hub.ts'
import { program } from '../bed/keelson-program.ts'
import { forgeObjects, send, sendPush } from './pull-request-parts.ts'

const cities = ['oslo', 'paris', 'rome'] as const

const configMap = (name: string, value: string) =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: default}\ndata: {value: ${value}}\n`
const deployment = (name: string) => `apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}, namespace: default}
spec:
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec: {containers: [{name: app, image: 'example.com/app:1'}]}
`

const files = {
  'shop/app.yaml': deployment('old'),
  'shop/dropped.yaml': configMap('dropped', 'one'),
  'shop/kept.yaml': configMap('kept', 'one'),
}
const change = {
  'shop/app.yaml': deployment('web'),
  'shop/dropped.yaml': null,
  'shop/kept.yaml': configMap('kept', 'two'),
}

const objects = (url: string) => `
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: app, namespace: default}
spec: {url: '${url}', ref: {branch: main}, interval: 1h}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: approvers, namespace: default}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: keelson-approver}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: ada}, {apiGroup: rbac.authorization.k8s.io, kind: User, name: jane}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: editors, namespace: default}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: edit}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: User, name: kim}]
---
${cities
  .map(
    city => `apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: ${city}, namespace: default}
spec: {interval: 1h, prune: true, path: ./shop, sourceRef: {kind: GitRepository, name: app}, kubeConfig: {secretRef: {name: ${city}}}}
---`,
  )
  .join('\n')}
`

test('RO-08 a pull request is planned on three clusters; merged, it waits on each for a user; an edited field makes its plan stale; it is undone where it was applied', async () => {
  const [on, { repo, url, forge }, ...clusters] = await Promise.all([
    hub(),
    forgeRepository('gitea', files),
    ...cities.map(() => cluster()),
  ])
  const at = Object.fromEntries(cities.map((city, i) => [city, clusters[i]!])) as Record<
    (typeof cities)[number],
    Cluster
  >
  await on.apply(cities.map(city => kubeconfigSecret(city, at[city])).join('') + objects(url) + forgeObjects(url))
  const namesOn = async (city: (typeof cities)[number]) =>
    (await at[city].kubectl('get', 'deployments,configmaps', '-n', 'default', '-o', 'name'))
      .split('\n')
      .filter(name => /(old|web|dropped|kept)$/.test(name))
      .map(name => name.replace(/^.*\//, ''))
  for (const city of cities)
    await eventually(async () => assert.deepEqual(await namesOn(city), ['old', 'dropped', 'kept']))
  await on.kubectl('wait', 'receiver/gitea', '-n', 'default', '--for=condition=Ready', '--timeout=60s')
  await on.kubectl('annotate', 'namespace', 'default', 'fleet.keelson.dev/approval=Required')
  for (const city of cities)
    await on.kubectl('wait', `kustomization/${city}`, '-n', 'default', '--for=condition=Ready', '--timeout=60s')

  const sha = await repo.push(change, { branch: 'change' })
  await repo.git('update-ref', 'refs/pull/1/head', sha)
  assert.match(await send(on, url, { sha }), /^200 ok/)
  await eventually(() => assert.equal(forge.comments.length, 1), { within: 60_000 })
  const { text } = forge.comments[0]!
  for (const city of cities)
    assert.ok(text.includes(`| \`Kustomization/default/${city}\` | \`Secret/default/${city}\` | \`+1 ~1 -2\` |`), text)
  assert.match(text, /^\+ Deployment default\/web created/m)
  assert.match(text, /^- Deployment default\/old deleted$/m)
  assert.match(text, /^- ConfigMap default\/dropped deleted$/m)
  for (const city of cities) assert.deepEqual(await namesOn(city), ['old', 'dropped', 'kept'])

  // The merge: nothing happens but plans that wait.
  await repo.git('update-ref', 'refs/heads/main', sha)
  assert.match(await sendPush(on, url, sha), /^200 ok/)
  assert.match(await send(on, url, { sha, state: 'closed' }), /^200 ok/)
  const plansOf = async (city: string) =>
    (await on.get<{ items: readonly Plan[] }>('plans', '-n', 'default')).items.filter(
      ({ spec }) => spec.unit.name === city,
    )
  const waitingOf = (city: string): Promise<Plan> =>
    eventually(async () => (await plansOf(city)).find(({ status }) => status?.phase === 'Waiting') ?? null)
  for (const city of cities) {
    const { spec } = await waitingOf(city)
    assert.deepEqual([spec.summary, spec.author], ['+1 ~1 -2', 'Receiver default/gitea for ada'])
    assert.deepEqual(await namesOn(city), ['old', 'dropped', 'kept'])
  }

  const env = { PATH: process.env.PATH, KUBECONFIG: on.kubeconfig }
  const keelson = (user: string, ...args: string[]) =>
    ending(process.execPath, [program, ...args, '-n', 'default', '--as', user], { env })
  const decide = async (user: string, verb: string, plan: Plan, comment: string) => {
    const { exitCode, stderr } = await keelson(user, verb, plan.metadata.name, '--comment', comment)
    assert.equal(exitCode, 0, stderr)
  }
  // The author's own approval does not count; that of another user does.
  await decide('ada', 'approve', await waitingOf('paris'), 'my own')
  await decide('jane', 'reject', await waitingOf('oslo'), 'not before Monday')
  assert.deepEqual(await namesOn('paris'), ['old', 'dropped', 'kept'])
  await decide('jane', 'approve', await waitingOf('paris'), 'CHG-1')
  await eventually(async () => assert.deepEqual(await namesOn('paris'), ['web', 'kept']))

  // Somebody edits a field that the plan changes: the plan is stale, and an approval of it counts for nothing.
  const before = await waitingOf('rome')
  await at.rome.kubectl(
    'patch',
    'configmap',
    'kept',
    '-n',
    'default',
    '--type=merge',
    '-p',
    '{"data":{"value":"edited"}}',
  )
  await on.kubectl(
    'annotate',
    'kustomization',
    'rome',
    '-n',
    'default',
    '--overwrite',
    `reconcile.fluxcd.io/requestedAt=${Date.now()}`,
  )
  await eventually(async () => {
    const stale = (await plansOf('rome')).find(({ metadata }) => metadata.name === before.metadata.name)
    assert.equal(stale?.status?.phase, 'Stale')
  })
  assert.deepEqual(await namesOn('rome'), ['old', 'dropped', 'kept'])
  await eventually(
    async () => {
      const names = await namesOn('rome')
      if (!names.includes('web')) await decide('jane', 'approve', await waitingOf('rome'), 'CHG-2')
      assert.deepEqual(names, ['web', 'kept'])
    },
    { within: 60_000, every: 1_000 },
  )
  assert.deepEqual(await namesOn('oslo'), ['old', 'dropped', 'kept'])

  // The way back: an undo is a change, too, which another user approves. Where the change was rejected, there is nothing to undo.
  for (const city of ['paris', 'rome'] as const) {
    const { exitCode, stderr } = await keelson('kim', 'undo', `kustomization/${city}`)
    assert.equal(exitCode, 0, stderr)
    const back = await waitingOf(city)
    assert.deepEqual([back.spec.summary, back.spec.author], ['+2 ~1 -1', 'kim'])
    assert.deepEqual(await namesOn(city), ['web', 'kept'])
    await decide('jane', 'approve', back, 'CHG-3')
    await eventually(async () => assert.deepEqual(await namesOn(city), ['old', 'dropped', 'kept']))
  }
  const nothing = await keelson('kim', 'undo', 'kustomization/oslo')
  assert.deepEqual([nothing.exitCode, /has nothing to return to/.test(nothing.stderr)], [1, true])

  // All of it is on record, with names.
  const settled = async (city: string) =>
    (await plansOf(city)).filter(({ status }) => status?.phase !== 'Stale' && status?.phase !== 'Waiting')
  for (const city of ['paris', 'rome'] as const) {
    const applied = await eventually(async () => {
      const plans = await settled(city)
      return plans.every(({ status }) => status?.phase === 'Applied' && status.approvedBy) ? plans : null
    })
    assert.deepEqual(
      applied.map(({ spec, status }) => [spec.author, ...status!.approvedBy!]).sort(),
      [
        ['Receiver default/gitea for ada', 'jane'],
        ['kim', 'jane'],
      ],
      city,
    )
    const { status } = await on.get<Kustomization>('kustomization', city, '-n', 'default')
    assert.match(conditionOf(status?.conditions, 'Pinned')?.message ?? '', /^kim has undone it: revision main@sha1:/)
    const runs = await on.get<{ items: readonly Run[] }>('runs', '-n', 'default')
    const undone = runs.items.find(({ unit, cause }) => unit.name === city && cause.type === 'Undo')
    assert.deepEqual([undone?.cause.user, undone?.result, undone?.counts.deleted], ['kim', 'Succeeded', 1], city)
    const shown = (await keelson('kim', 'runs', `kustomization/${city}`)).stdout
    assert.match(shown, /Undo.*kim/, shown)
  }
  const [rejection] = await settled('oslo')
  const { phase, rejectedBy, message } = rejection!.status!
  assert.deepEqual([phase, rejectedBy, message], ['Rejected', 'jane', 'not before Monday'])
  const { items } = await on.get<{ items: readonly Approval[] }>('approvals', '-n', 'default')
  const comments = items.map(({ spec }) => `${spec.approver}: ${spec.comment}`)
  for (const comment of ['ada: my own', 'jane: not before Monday', 'jane: CHG-1', 'jane: CHG-2', 'jane: CHG-3'])
    assert.ok(comments.includes(comment), comments.join('\n'))
  assert.equal(await on.kubectl('get', 'pullrequests', '-n', 'default', '-o', 'name'), '')
})
