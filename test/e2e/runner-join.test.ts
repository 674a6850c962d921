/** What `keelson join` applies to a real cluster, a runner with that account's rights, and what `keelson leave` takes away. */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
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

/** Path of the public one. */
const keyPair = (folder: string, name: string): string => {
  const { publicKey } = generateKeyPairSync('ed25519')
  const path = join(folder, `${name}.pub`)
  writeFileSync(path, publicKey.export({ type: 'spki', format: 'pem' }))
  return path
}

test('keelson join makes what a runner needs in its cluster, with the rights that it is given, and keelson leave takes it away', async () => {
  const [target, repo, on] = await Promise.all([cluster(), gitRepo({ 'a.yaml': configMap('default') }), hub()])
  const root = endWithTest(disposableDir())
  const names = ['aurora', '-n', 'default', '--kubeconfig', on.kubeconfig]
  const image = ['--image', 'registry.example.org/keelson:1.0', '--into-namespaces', 'default']
  const toTarget = ['--target-kubeconfig', target.kubeconfig]
  const keelson = (...args: readonly string[]) => command(process.execPath, [program, ...args])
  const failing = async (...args: readonly string[]) => {
    const { exitCode, stderr } = await ending(process.execPath, [program, ...args])
    assert.equal(exitCode, 1)
    return stderr
  }

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

  // Keys that the hub never sees, in the cluster: public ones to demand signatures with, and one to decrypt with.
  const [author, approver] = [keyPair(root.path, 'author'), keyPair(root.path, 'approver')]
  const folder = join(root.path, 'keys')
  mkdirSync(folder)
  writeFileSync(join(folder, 'aurora.agekey'), 'AGE-SECRET-KEY-OF-AURORA')
  const keys = ['--verify-key', author, '--plan-key', approver, '--decryption-keys', folder]
  const deployed = () => target.get<KubernetesObject>('deployment', 'keelson-runner', '-n', 'keelson-runner')
  const versions: unknown[] = []
  for (const _ of ['first', 'again']) {
    await keelson('join', ...names, ...image, ...toTarget, ...keys)
    const inFolder = (what: string, name: string, path: string) =>
      target.kubectl('get', what, name, '-n', 'keelson-runner', '-o', `jsonpath={.data.${path}}`)
    assert.equal(
      await inFolder('configmap', 'keelson-runner-trusted-keys', 'verify-1\\.pub'),
      readFileSync(author, 'utf8'),
    )
    assert.equal(
      await inFolder('configmap', 'keelson-runner-trusted-keys', 'plan-1\\.pub'),
      readFileSync(approver, 'utf8'),
    )
    const secret = await inFolder('secret', 'keelson-runner-decryption-keys', 'aurora\\.agekey')
    assert.equal(Buffer.from(secret, 'base64').toString(), 'AGE-SECRET-KEY-OF-AURORA')
    const { metadata, spec } = await deployed()
    assert.match(
      JSON.stringify(spec),
      /"--verify-key","\/trusted\/verify-1\.pub","--plan-key","\/trusted\/plan-1\.pub","--plan-signatures","1"/,
    )
    versions.push(metadata.generation)
  }
  assert.equal(versions[0], versions[1])
  // Who joins it again without the keys must not take its demands away, nor another one's.
  const before = await on.get<KubernetesObject>('secret', 'aurora-runner')
  assert.match(
    await failing('join', ...names, ...image, ...toTarget),
    /has --verify-key and --plan-key: give the keys again/,
  )
  assert.deepEqual(await on.get<KubernetesObject>('secret', 'aurora-runner'), before)
  const [other, upgrade] = [keyPair(root.path, 'other'), ['runner', 'upgrade-manifest', 'default/aurora', ...newer]]
  const again = await keelson(...upgrade, '--hub-url', on.server, '--verify-key', other, '--plan-key', approver)
  assert.ok(again.includes(readFileSync(other, 'utf8').split('\n')[1]!), 'those of the command, and not of its parent')
  assert.match(await failing('join', ...names, ...keys), /keys need --image/)
  assert.match(
    await failing('join', ...names, ...image, '--plan-key', approver, '--plan-signatures', '2'),
    /needs as many --plan-key/,
  )
  assert.match(
    await failing('join', ...names, ...image, '--verify-key', join(folder, 'aurora.agekey')),
    /aurora\.agekey: PEM decoding failed/,
  )

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
