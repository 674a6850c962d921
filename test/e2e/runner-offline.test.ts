/** A runner whose hub is away keeps its cluster as it is, and hands over later what it did, on real parts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Kustomization } from '../../lib/foundations/kinds/kustomization.ts'
import type { Run } from '../../lib/foundations/kinds/run.ts'
import { conditionOf } from '../../lib/foundations/rules/conditions.ts'
import { cluster } from '../bed/cluster.ts'
import { ending } from '../bed/command.ts'
import { eventually } from '../bed/eventually.ts'
import { fleetRepository } from '../bed/fleet-objects.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { hub } from '../bed/hub.ts'
import { program } from '../bed/keelson-program.ts'
import { joinToken, runner } from '../bed/runner.ts'

const config = (name: string, color: string): string => `apiVersion: v1
kind: ConfigMap
metadata: {name: ${name}, namespace: default}
data: {color: ${color}}
`

const files = (color: string) => ({ 'app/a.yaml': config('app', color), 'still/a.yaml': config('still', color) })

const unit = (name: string): string => `
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: ${name}, namespace: default}
spec:
  interval: 2s
  prune: true
  path: ./${name}
  sourceRef: {kind: GitRepository, name: fleet}
  kubeConfig: {configMapRef: {name: aurora}}
---`

test('while its hub is away, a runner restores what is applied, also where that was undone to, leaves suspended units alone, and hands over its Runs later', async () => {
  const [target, repo, on] = await Promise.all([cluster(), gitRepo(files('green')), hub()])
  const joining = await joinToken(on, 'aurora')
  await on.kubectl('patch', 'cluster', 'aurora', '--type=merge', '-p', '{"spec":{"runner":{"offline":"1h"}}}')
  await on.apply(fleetRepository(repo) + unit('app') + unit('still'))
  const it = await runner(on, target, { cluster: 'default/aurora', joinToken: joining, flags: ['--log-level', 'info'] })
  const said = (text: RegExp) => eventually(() => assert.match(it.said(), text), { within: 90_000 })
  const showing = (name: string, color: string) =>
    eventually(
      async () => {
        const live = await target.get<{ readonly data: Record<string, string> }>('configmap', name)
        assert.equal(live.data.color, color)
      },
      { within: 90_000 },
    )
  const paint = (name: string, color: string) =>
    target.kubectl('patch', 'configmap', name, '--type=merge', '-p', JSON.stringify({ data: { color } }))
  const suspend = (isSuspended: boolean) => {
    const patch = JSON.stringify({ spec: { suspend: isSuspended } })
    return on.kubectl('patch', 'kustomization', 'still', '--type=merge', '-p', patch)
  }
  const refetch = () =>
    on.kubectl('annotate', '--overwrite', 'gitrepository', 'fleet', `reconcile.fluxcd.io/requestedAt=${Date.now()}`)
  try {
    await Promise.all([showing('app', 'green'), showing('still', 'green')])
    await eventually(() => target.kubectl('get', 'lease', '-n', 'kube-system', 'keelson-runner.default.aurora'))
    await repo.push(files('yellow'))
    await refetch()
    await showing('app', 'yellow')
    const undone = [program, 'undo', 'kustomization/app', '-n', 'default', '--kubeconfig', on.kubeconfig]
    assert.equal((await ending(process.execPath, undone)).exitCode, 0)
    await showing('app', 'green')
    await suspend(true)
    await said(/"name":"still","outcome":"suspended"/)
    await eventually(async () => {
      const { status } = await on.get<Kustomization>('kustomization', 'app')
      const ready = conditionOf(status?.conditions, 'Ready')
      assert.match(ready?.message ?? '', /^Applied .* kept by an undo of kubernetes-admin$/)
    })

    await on.kill()
    await said(/applied revisions are kept as they are/)
    await Promise.all([paint('app', 'red'), paint('still', 'red')])
    await showing('app', 'green')
    const correctedAt = Date.now()
    await showing('still', 'red')

    await on.start()
    await eventually(
      async () => {
        const { items } = await on.get<{ readonly items: readonly Run[] }>('runs')
        const found = items.find(({ cause, unit }) => cause.type === 'Drift' && unit.name === 'app')
        assert.ok(found, items.map(({ cause, unit }) => `${cause.type} ${unit.name}`).join(', '))
        assert.equal(found.result, 'Succeeded')
        assert.ok(Date.parse(found.startedAt) <= correctedAt)
        assert.equal(found.cluster?.name, 'aurora')
      },
      { within: 90_000 },
    )
    await suspend(false)
    await showing('still', 'yellow')
    await repo.push(files('blue'))
    await refetch()
    await showing('still', 'blue')
    await showing('app', 'green')
  } catch (error) {
    throw Object.assign(error as Error, {
      message: `${(error as Error).message}\nthe runner said:\n${it.said().slice(-8000)}`,
    })
  }
})
