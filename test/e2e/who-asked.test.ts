/** `keelson runs` answers what changed between two moments, and who asked: for a push, a manual reconcile and an override. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Receiver } from '../../lib/foundations/kinds/receiver.ts'
import type { Run } from '../../lib/foundations/kinds/run.ts'
import { ending } from '../bed/command.ts'
import { eventually } from '../bed/eventually.ts'
import { appRepository, pushReceiver } from '../bed/fleet-objects.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { hub } from '../bed/hub.ts'

const program = join(import.meta.dirname, '../../lib/cli/keelson.js')

const secret = 'a-shared-secret'

const config = (color: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: config, namespace: default}\ndata: {color: ${color}}\n`

const followed = '{apiVersion: source.toolkit.fluxcd.io/v1, kind: GitRepository, name: app}'
const objects = `${pushReceiver(followed, secret)}
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: app, namespace: default}
spec: {interval: 1h, prune: true, path: ./, sourceRef: {kind: GitRepository, name: app}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: on-call}
rules:
  - {apiGroups: [kustomize.toolkit.fluxcd.io], resources: [kustomizations], verbs: [get, list, patch, delete, override]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: on-call, namespace: default}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: on-call}
subjects:
  - {apiGroup: rbac.authorization.k8s.io, kind: User, name: jane}
  - {apiGroup: rbac.authorization.k8s.io, kind: User, name: omar}
`

test('a push, a manual reconcile and an override: what changed in between, and who asked', async () => {
  const [repo, on] = await Promise.all([gitRepo({ 'config.yaml': config('blue') }), hub()])
  const annotate = (as: readonly string[], text: string) =>
    on.kubectl('annotate', '--overwrite', 'kustomization/app', text, ...as)
  const between = async (since: Date, ...more: readonly string[]): Promise<readonly Run[]> => {
    const times = ['--since', since.toISOString(), '--until', new Date().toISOString()]
    const called = [program, 'runs', '-A', ...times, ...more, '-o', 'json', '--kubeconfig', on.kubeconfig]
    const { exitCode, stdout, stderr } = await ending(process.execPath, called)
    assert.equal(exitCode, 0, stderr)
    return JSON.parse(stdout)
  }
  const push = async (color: string, login: string): Promise<void> => {
    await repo.push({ 'config.yaml': config(color) })
    const { status } = await on.get<Receiver>('receiver', 'github')
    const body = JSON.stringify({ ref: 'refs/heads/main', sender: { login }, repository: { clone_url: repo.url } })
    const signature = createHmac('sha256', secret).update(body).digest('hex')
    const headers = { 'X-GitHub-Event': 'push', 'X-Hub-Signature-256': `sha256=${signature}` }
    const { status: code } = await fetch(`${on.edge}${status?.webhookPath}`, { method: 'POST', body, headers })
    assert.equal(code, 200)
  }
  const only = (since: Date): Promise<Run> =>
    eventually(async () => {
      const found = await between(since)
      assert.equal(found.length, 1, JSON.stringify(found))
      assert.ok(found[0]!.finishedAt)
      return found[0]!
    })
  const changed = ({ changes = [] }: Run) =>
    changes.map(({ name, fields = [] }) => [
      name,
      ...fields.map(({ path, before, after }) => `${path}: ${before} -> ${after}`),
    ])

  const begun = new Date()
  await on.apply(appRepository(repo) + objects)
  const first = await only(begun)
  assert.deepEqual([first.cause, first.result], [{ type: 'Spec', user: 'kubernetes-admin' }, 'Succeeded'])
  await eventually(async () => assert.ok((await on.get<Receiver>('receiver', 'github')).status?.webhookPath))

  const pushed = new Date()
  await push('green', 'mona')
  const second = await only(pushed)
  assert.deepEqual(second.cause, { type: 'Source', user: 'Receiver default/github for mona' })
  assert.deepEqual(changed(second), [['config', 'data.color: blue -> green']])

  const requested = new Date()
  await annotate(['--as', 'jane'], `reconcile.fluxcd.io/requestedAt=${requested.toISOString()}`)
  const third = await only(requested)
  assert.deepEqual([third.cause.type, third.cause.user, changed(third)], ['Request', 'jane', []])

  const held = new Date()
  const freeze = '[{action: Deny, schedule: "0 0 1 1 *", duration: 8783h}]'
  await annotate([], `keelson.dev/windows=${freeze}`)
  await push('red', 'mona')
  await eventually(async () => {
    const waiting = await on.kubectl(
      'get',
      'kustomization/app',
      '-o',
      'jsonpath={.status.conditions[?(@.type=="Waiting")].message}',
    )
    assert.match(waiting, /waits/)
  })
  assert.deepEqual(await between(held), [])
  const until = new Date(Date.now() + 3_600_000).toISOString().replace(/\.\d+Z/, 'Z')
  await annotate(['--as', 'omar'], `keelson.dev/override-window=${until} the fix of the outage`)
  const fourth = await only(held)
  assert.deepEqual(fourth.cause, { type: 'Override', user: 'omar' })
  assert.deepEqual(changed(fourth), [['config', 'data.color: green -> red']])

  // A person changes the unit and writes another name into it; another person deletes it.
  const changedAt = new Date()
  const claim = {
    metadata: { annotations: { 'keelson.dev/changed-by': 'jane' } },
    spec: { commonMetadata: { labels: { tier: 'one' } } },
  }
  await on.kubectl('patch', 'kustomization/app', '--type=merge', '-p', JSON.stringify(claim), '--as', 'omar')
  const fifth = await only(changedAt)
  assert.deepEqual(fifth.cause, { type: 'Spec', user: 'omar' })
  assert.deepEqual(changed(fifth), [['config', 'metadata.labels.tier: undefined -> one']])
  const deletedAt = new Date()
  await on.kubectl('delete', 'kustomization/app', '--as', 'jane')
  const sixth = await only(deletedAt)
  assert.deepEqual([sixth.cause, sixth.counts], [{ type: 'Deletion', user: 'jane' }, { deleted: 1 }])

  // By the name of a user, or of who pushed.
  const named = (by: string) => between(begun, '--by', by)
  assert.deepEqual(await named('omar'), [fifth, fourth])
  assert.deepEqual(await named('jane'), [sixth, third])
  assert.deepEqual(await named('mona'), [second])
  assert.deepEqual(await named('mallory'), [])
})
