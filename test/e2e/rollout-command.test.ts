/** `keelson rollout`: what a person sees of a run, and what becomes of orders. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../lib/foundations/kinds/object.ts'
import type { RolloutRun } from '../../lib/foundations/kinds/rollout-run.ts'
import { type Ending, ending } from '../bed/command.ts'
import { eventually } from '../bed/eventually.ts'
import { fleetRepository } from '../bed/fleet-objects.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { hub } from '../bed/hub.ts'
import { program } from '../bed/keelson-program.ts'

const objects = `
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: app, namespace: default}
spec: {interval: 1h, prune: true, path: ./, sourceRef: {kind: GitRepository, name: fleet}}
---
apiVersion: fleet.keelson.dev/v1alpha1
kind: Rollout
metadata: {name: web, namespace: default}
spec: {sources: [{kind: GitRepository, name: fleet}], strategyRef: {name: careful}}
---
apiVersion: fleet.keelson.dev/v1alpha1
kind: RolloutStrategy
metadata: {name: careful, namespace: default}
spec:
  stages:
    - {name: canary, after: [{name: go, approval: {}}]}
    - {name: others, clusterSelector: {matchLabels: {tier: none}}}
---`

test('keelson rollout shows where a run is and what may be done, and carries out orders in the name of a person', async () => {
  const config = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: app, namespace: default}\ndata: {version: "1"}\n'
  const [on, repo] = await Promise.all([hub(), gitRepo({ 'app.yaml': config })])
  await on.apply(objects + fleetRepository(repo))
  const rollout = (...args: readonly string[]): Promise<Ending> =>
    ending(process.execPath, [program, 'rollout', ...args, '-n', 'default', '--kubeconfig', on.kubeconfig])
  const run = () => on.get<RolloutRun>('rolloutrun', 'web-1')
  await eventually(async () => assert.deepEqual((await run()).status?.waitsFor, ['gate go: waits for an approval']))

  const all = await rollout('status', '-A')
  assert.equal(all.exitCode, 0, all.stderr)
  const [head, line] = all.stdout.split('\n')
  assert.deepEqual(head?.split(/ {3,}/), 'NAMESPACE NAME RUN PHASE STAGE READY FAILED SKIPPED REVISION AGE'.split(' '))
  assert.match(line ?? '', /^default +web +web-1 +Running +canary +1\/1 +0 +0 +main@sha1:[0-9a-f]{8} +\d+s$/)

  const one = await rollout('status', 'web')
  assert.equal(one.exitCode, 0, one.stderr)
  assert.match(one.stdout, /^Strategy: {2}careful\nRun: {7}web-1, Running$/m)
  assert.match(one.stdout, /^Waits for: gate go: waits for an approval$/m)
  assert.match(one.stdout, /^Orders: {4}pause, abort, retry$/m)
  assert.match(one.stdout, /^canary +gates after it +1 +1 +0 +0 +0 +\d+s/m)
  assert.match(one.stdout, /^others +pending +0/m)
  const document = JSON.parse((await rollout('status', 'web', '-o', 'json')).stdout)
  assert.deepEqual(
    [document.rollout, ...document.runs].map(({ kind }: KubernetesObject) => kind),
    ['Rollout', 'RolloutRun'],
  )

  const orders = async (...args: readonly string[]) => {
    const { exitCode, stdout, stderr } = await rollout(...args)
    return [exitCode, stdout, stderr]
  }
  const title = 'RolloutRun/default/web-1'
  assert.deepEqual(await orders('rollback', 'web'), [
    1,
    '',
    '✗ web-1: Rollback has no effect: there is no revision before\n',
  ])
  assert.deepEqual(await orders('pause', 'web', '--reason', 'errors in Paris'), [
    0,
    `✔ pause: ${title}: paused as requested (kubernetes-admin: errors in Paris)\n`,
    '',
  ])
  assert.equal((await rollout('status', 'web')).exitCode, 0, 'a pause that was requested is no failure')
  assert.deepEqual(await orders('pause', 'web'), [1, '', '✗ web-1: Pause has no effect: the run is Paused\n'])
  assert.deepEqual(await orders('resume', 'web'), [0, `✔ resume: ${title}: resumed (kubernetes-admin)\n`, ''])
  const late = await rollout('status', 'web', '--wait', '--timeout', '1s')
  assert.deepEqual([late.exitCode, late.stderr], [1, '✗ timed out after 1 s\n'])
  assert.equal((await rollout('abort', 'web')).exitCode, 0)
  const aborted = await rollout('status', 'web', '--wait')
  assert.equal(aborted.exitCode, 1)
  assert.match(aborted.stdout, /^Run: {7}web-1, Aborted$/m)
  assert.equal((await rollout('retry', 'web')).exitCode, 0)
  await eventually(async () => assert.equal((await run()).status?.step, 'After'))

  const events = await on.kubectl('get', 'events', '-o', 'jsonpath={range .items[*]}{.message}{"\\n"}{end}')
  for (const message of [
    'paused as requested (kubernetes-admin: errors in Paris)',
    'resumed (kubernetes-admin)',
    'aborted: units stay at the revision that they have (kubernetes-admin)',
    'begins again with the first stage (kubernetes-admin)',
  ])
    assert.ok(events.includes(`RolloutRun web-1: ${message}\n`), message)

  const other = await rollout('approve', 'web', '--stage', 'others')
  assert.match(other.stderr, /^✗ stage others of web-1 has no gate that needs an approval/)
  const approved = await rollout('approve', 'web', '--comment', 'as agreed')
  assert.match(approved.stdout, /^✔ approved: stage canary of web-1, main@sha1:[0-9a-f]{40}$/m, approved.stderr)
  const done = await rollout('status', 'web', '--wait')
  assert.deepEqual([done.exitCode, /^Run: .*/m.exec(done.stdout)?.[0]], [0, 'Run:       web-1, Succeeded'])

  await on.kubectl('patch', 'rollout', 'web', '--type=merge', '-p', '{"spec":{"suspend":true}}')
  assert.match((await rollout('pause', 'web')).stderr, /Rollout\/default\/web is suspended/)
  const missing = await rollout('status', 'nobody')
  assert.deepEqual([missing.exitCode, missing.stderr], [1, '✗ Rollout/default/nobody not found\n'])
})
