/** Deletions that a guard holds back on a cluster that only its runner reaches, on real parts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Kustomization } from '../../lib/foundations/kinds/kustomization.ts'
import { conditionOf } from '../../lib/foundations/rules/conditions.ts'
import { cluster } from '../bed/cluster.ts'
import { command } from '../bed/command.ts'
import { eventually } from '../bed/eventually.ts'
import { fleetRepository, fleetUnit } from '../bed/fleet-objects.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { hub } from '../bed/hub.ts'
import { program } from '../bed/keelson-program.ts'
import { joinToken, runner } from '../bed/runner.ts'

const config = (name: string): string => `apiVersion: v1
kind: ConfigMap
metadata: {name: ${name}, namespace: default, annotations: {keelson.dev/prune: confirm}}
`

test('a list of deletions that users reject stays through a runner, and one that they approve is deleted', async () => {
  const [target, repo, on] = await Promise.all([
    cluster(),
    gitRepo({ 'a.yaml': config('a'), 'b.yaml': config('b') }),
    hub(),
  ])
  const joining = await joinToken(on, 'aurora')
  await on.apply(fleetRepository(repo) + fleetUnit('aurora').replace('secretRef', 'configMapRef'))
  const it = await runner(on, target, { cluster: 'default/aurora', joinToken: joining, flags: ['--log-level', 'info'] })
  const names = () =>
    target.kubectl(
      'get',
      'configmaps',
      '-l',
      'kustomize.toolkit.fluxcd.io/name=app',
      '-o',
      'jsonpath={.items[*].metadata.name}',
    )
  const showing = (expected: string) => eventually(async () => assert.equal(await names(), expected))
  /** The digest of the list that waits, once its message is like this. */
  const waiting = (message: RegExp) =>
    eventually(async () => {
      const { status } = await on.get<Kustomization>('kustomization', 'app')
      const condition = conditionOf(status?.conditions, 'PruneGuarded')
      assert.match(condition?.message ?? '', message)
      return /sha256:[0-9a-f]+/.exec(condition!.message)![0]
    })
  const push = async (changed: Readonly<Record<string, string | null>>) => {
    await repo.push(changed)
    const at = `reconcile.fluxcd.io/requestedAt=${new Date().toISOString()}`
    await on.kubectl('annotate', '--overwrite', 'gitrepository/fleet', at)
  }
  const decide = (decision: 'approve' | 'reject', digest: string) => {
    const about = ['kustomization/app', '--digest', digest, '-n', 'default', '--kubeconfig', on.kubeconfig]
    return command(process.execPath, [program, decision, ...about])
  }
  try {
    await showing('a b')
    await push({ 'a.yaml': null })
    await decide('reject', await waiting(/^1 deletion waits/))
    const rejected = await waiting(/kubernetes-admin has rejected this list/)
    await push({ 'b.yaml': null, 'c.yaml': config('c') })
    const list = await waiting(/^2 deletions wait/)
    assert.notEqual(list, rejected)
    assert.equal(await names(), 'a b c')
    await decide('approve', list)
    await showing('c')
    await eventually(async () => {
      const { status } = await on.get<Kustomization>('kustomization', 'app')
      assert.equal(conditionOf(status?.conditions, 'PruneGuarded'), undefined)
      assert.equal(conditionOf(status?.conditions, 'Ready')?.status, 'True')
      assert.deepEqual(
        status?.inventory?.entries.map(({ id }) => id),
        ['default_c__ConfigMap'],
      )
    })
  } catch (error) {
    throw Object.assign(error as Error, {
      message: `${(error as Error).message}\nthe runner said:\n${it.said().slice(-8000)}`,
    })
  }
})
