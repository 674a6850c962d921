/** What `keelson join` applies to a real cluster, a runner with that account's rights, and what `keelson leave` takes away. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseKubeconfig } from '../../lib/clusters/client/kubeconfig.ts'
import { portableKubeconfig } from '../../lib/clusters/client/portable-kubeconfig.ts'
import { inClusterKubeconfig } from '../../lib/compose/in-cluster.ts'
import type { Kustomization } from '../../lib/foundations/kinds/kustomization.ts'
import type { KubernetesObject } from '../../lib/foundations/kinds/object.ts'
import { conditionOf } from '../../lib/foundations/rules/conditions.ts'
import { followOrder } from '../../lib/hub-client/follow-order.ts'
import { type Cluster, cluster } from '../bed/cluster.ts'
import { command, ending } from '../bed/command.ts'
import { eventually } from '../bed/eventually.ts'
import { fleetRepository, fleetUnit } from '../bed/fleet-objects.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { hub } from '../bed/hub.ts'
import { program } from '../bed/keelson-program.ts'
import { joinToken, runner } from '../bed/runner.ts'
import { endWithTest } from '../bed/teardown.ts'
import { disposableDir } from '../bed/temp-dir.ts'

const configMap = (namespace: string): string => `apiVersion: v1
kind: ConfigMap
metadata: {name: a, namespace: ${namespace}}
data: {color: blue}
`

/** The kubeconfig of a Pod with the account that `keelson join` made. */
const accountOf = async (target: Cluster, folder: string): Promise<string> => {
  const token = await target.kubectl('create', 'token', 'keelson-runner', '-n', 'keelson-runner')
  const { server, certificateAuthority = '' } = parseKubeconfig(
    portableKubeconfig(readFileSync(target.kubeconfig, 'utf8'), {}).text,
  )
  const { hostname, port } = new URL(server)
  const files: Readonly<Record<string, string>> = { token: `${token}\n`, 'ca.crt': certificateAuthority }
  const env = { KUBERNETES_SERVICE_HOST: hostname, KUBERNETES_SERVICE_PORT: port }
  const path = join(folder, 'pod.kubeconfig')
  writeFileSync(path, await inClusterKubeconfig(env, async asked => files[asked.split('/').at(-1)!]!))
  return path
}

test('keelson join makes what a runner needs in its cluster, with the rights that it is given, and keelson leave takes it away', async () => {
  const [target, repo, on] = await Promise.all([cluster(), gitRepo({ 'a.yaml': configMap('default') }), hub()])
  const root = endWithTest(disposableDir())
  const names = ['aurora', '-n', 'default', '--kubeconfig', on.kubeconfig]
  const image = ['--image', 'registry.example.org/keelson:1.0', '--into-namespaces', 'default']
  const toTarget = ['--target-kubeconfig', target.kubeconfig]
  const keelson = (...args: readonly string[]) => command(process.execPath, [program, ...args])

  // Twice: the second time nothing but the token is new.
  const generations: unknown[] = []
  for (const _ of ['first', 'again']) {
    await keelson('join', ...names, ...image, ...toTarget)
    const deployment = await target.get<KubernetesObject>('deployment', 'keelson-runner', '-n', 'keelson-runner')
    generations.push(deployment.metadata.generation)
  }
  assert.deepEqual(generations, [1, 1])
  // What is printed is what is applied, and so is an upgrade but for the image.
  const printed = join(root.path, 'runner.yaml')
  writeFileSync(printed, await keelson('join', ...names, ...image))
  const dryRun = (file: string) =>
    target.kubectl('apply', '--server-side', '--field-manager=keelson-join', '--dry-run=server', '-f', file)
  assert.match(await dryRun(printed), /deployment.apps\/keelson-runner serverside-applied/)
  const newer = [...image.slice(0, 1), 'registry.example.org/keelson:1.1', ...image.slice(2)]
  const upgraded = await keelson('runner', 'upgrade-manifest', 'default/aurora', ...newer, '--hub-url', on.server)
  writeFileSync(printed, upgraded)
  assert.match(await dryRun(printed), /deployment.apps\/keelson-runner serverside-applied/)
  assert.match(upgraded, /keelson:1\.1/)
  assert.doesNotMatch(upgraded, /kind: Secret/)

  // With the account's token, as in a Pod.
  await on.apply(fleetRepository(repo) + fleetUnit('aurora').replace('secretRef', 'configMapRef'))
  const kubeconfig = await accountOf(target, root.path)
  const it = runner(
    on,
    { kubeconfig },
    { cluster: 'default/aurora', joinToken: await joinToken(on, 'aurora'), flags: ['--live'] },
  )
  const ready = (status: string, message: RegExp) =>
    eventually(async () => {
      const found = await on.get<Kustomization>('kustomization', 'app')
      const condition = conditionOf(found.status?.conditions, 'Ready')
      assert.equal(condition?.status, status, condition?.message)
      assert.match(condition.message, message)
    })
  try {
    await ready('True', /^Applied revision/)
    assert.equal((await target.get<{ data: Record<string, string> }>('configmap', 'a')).data.color, 'blue')

    // What is on the cluster is read as the user of the hub: if the runner may impersonate that, and as far as the cluster lets it.
    const unit = 'unit=Kustomization/default/app&object=default_a__ConfigMap'
    const live = () =>
      followOrder<KubernetesObject & { readonly data?: Record<string, string> }>(async more => {
        const path = `/fleet/live/object?${unit}&${new URLSearchParams(more)}`
        return JSON.parse(await on.kubectl('get', '--raw', path)) as object
      }, AbortSignal.timeout(30_000))
    await assert.rejects(live(), /the runner may not impersonate you .*keelson-runner\\?" cannot impersonate/)
    const visitors = [...image, '--live-users', 'kubernetes-admin']
    writeFileSync(
      printed,
      await keelson('runner', 'upgrade-manifest', 'default/aurora', ...visitors, '--hub-url', on.server),
    )
    await target.kubectl('apply', '--server-side', '--field-manager=keelson-join', '-f', printed)
    await eventually(() => assert.rejects(live(), /configmaps \\?"a\\?" is forbidden: User \\?"kubernetes-admin/))
    const view = ['rolebinding', 'visitors', '-n', 'default', '--clusterrole=view', '--user=kubernetes-admin']
    await target.kubectl('create', ...view)
    await eventually(async () => assert.equal((await live()).data?.color, 'blue'))
    assert.match(
      await target.kubectl('get', 'deployment', 'keelson-runner', '-n', 'keelson-runner', '-o', 'yaml'),
      /- --live\n/,
    )

    await repo.push({ 'a.yaml': configMap('kube-public') })
    await on.kubectl('annotate', 'gitrepository', 'fleet', 'reconcile.fluxcd.io/requestedAt=1')
    await ready('False', /ConfigMap\/kube-public\/a .*forbidden/s)

    const early = await ending(process.execPath, [program, 'leave', ...names, ...toTarget])
    assert.equal(early.exitCode, 1)
    assert.match(early.stderr, /Cluster default\/aurora has units.*: Kustomization\/app/)
    await on.kubectl('delete', 'kustomization', 'app', '--timeout', '60s')
  } catch (error) {
    throw Object.assign(error as Error, { message: `${(error as Error).message}\nthe runner said:\n${it.said()}` })
  }
  for (const _ of ['first', 'again']) await keelson('leave', ...names, ...toTarget)
  const label = ['-l', 'app.kubernetes.io/managed-by=keelson-join', '-o', 'name']
  const kinds = 'deployment,serviceaccount,secret,configmap,networkpolicy'
  await eventually(async () => {
    assert.equal(await target.kubectl('get', kinds, '-n', 'keelson-runner', ...label), '')
    // Test clusters have no controller that lets the volume go, so the Namespace stays in this state.
    assert.match(await target.kubectl('get', 'namespace', 'keelson-runner', '--ignore-not-found'), /Terminating|^$/)
  })
  assert.equal(await target.kubectl('get', 'clusterrole,clusterrolebinding,rolebinding', '-A', ...label), '')
  assert.doesNotMatch(await on.kubectl('get', 'secret,clusters,configmap', '-o', 'name'), /aurora/)
  await eventually(() => assert.match(it.said(), /Unauthorized/))
})
