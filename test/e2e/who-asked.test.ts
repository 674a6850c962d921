/** `keelson runs` answers what changed between two moments, and who asked: for a push, a manual reconcile and an override. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../bed/eventually.ts'
import { appRepository } from '../bed/fleet-objects.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { hub } from '../bed/hub.ts'
import { askers, changesOf, inAnHour, onlyRunSince, pushAs, runsSince, yearLong } from './asked-parts.ts'

const config = (color: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: config, namespace: default}\ndata: {color: ${color}}\n`

const unit = `
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: app, namespace: default}
spec: {interval: 1h, prune: true, path: ./, sourceRef: {kind: GitRepository, name: app}}
`

test('a push, a manual reconcile and an override: what changed in between, and who asked', async () => {
  const [repo, on] = await Promise.all([gitRepo({ 'config.yaml': config('blue') }), hub()])
  const annotate = (as: readonly string[], text: string) =>
    on.kubectl('annotate', '--overwrite', 'kustomization/app', text, ...as)
  const push = (color: string) => pushAs('mona', { 'config.yaml': config(color) }, repo, on)

  const begun = new Date()
  await on.apply(appRepository(repo) + askers + unit)
  const first = await onlyRunSince(on, begun)
  assert.deepEqual([first.cause, first.result], [{ type: 'Spec', user: 'kubernetes-admin' }, 'Succeeded'])

  const pushed = new Date()
  await push('green')
  const second = await onlyRunSince(on, pushed)
  assert.deepEqual(second.cause, { type: 'Source', user: 'Receiver default/github for mona' })
  assert.deepEqual(changesOf(second), [['config', 'data.color: blue -> green']])

  const requested = new Date()
  await annotate(['--as', 'jane'], `reconcile.fluxcd.io/requestedAt=${requested.toISOString()}`)
  const third = await onlyRunSince(on, requested)
  assert.deepEqual([third.cause.type, third.cause.user, changesOf(third)], ['Request', 'jane', []])

  const held = new Date()
  await annotate([], `keelson.dev/windows=${JSON.stringify([yearLong])}`)
  await push('red')
  await eventually(async () => {
    const waiting = await on.kubectl(
      'get',
      'kustomization/app',
      '-o',
      'jsonpath={.status.conditions[?(@.type=="Waiting")].message}',
    )
    assert.match(waiting, /waits/)
  })
  assert.deepEqual(await runsSince(on, held), [])
  await annotate(['--as', 'omar'], `keelson.dev/override-window=${inAnHour()} the fix of the outage`)
  const fourth = await onlyRunSince(on, held)
  assert.deepEqual(fourth.cause, { type: 'Override', user: 'omar', reason: 'the fix of the outage' })
  assert.deepEqual(changesOf(fourth), [['config', 'data.color: green -> red']])

  // A person changes the unit and writes another name into it; another person deletes it.
  const changedAt = new Date()
  const claim = {
    metadata: { annotations: { 'keelson.dev/changed-by': 'jane' } },
    spec: { commonMetadata: { labels: { tier: 'one' } } },
  }
  await on.kubectl('patch', 'kustomization/app', '--type=merge', '-p', JSON.stringify(claim), '--as', 'omar')
  const fifth = await onlyRunSince(on, changedAt)
  assert.deepEqual(fifth.cause, { type: 'Spec', user: 'omar' })
  assert.deepEqual(changesOf(fifth), [['config', 'metadata.labels.tier: undefined -> one']])
  const deletedAt = new Date()
  await on.kubectl('delete', 'kustomization/app', '--as', 'jane')
  const sixth = await onlyRunSince(on, deletedAt)
  assert.deepEqual([sixth.cause, sixth.counts], [{ type: 'Deletion', user: 'jane' }, { deleted: 1 }])

  // By the name of a user, or of who pushed.
  const named = (by: string) => runsSince(on, begun, '--by', by)
  assert.deepEqual(await named('omar'), [fifth, fourth])
  assert.deepEqual(await named('jane'), [sixth, third])
  assert.deepEqual(await named('mona'), [second])
  assert.deepEqual(await named('mallory'), [])
})
