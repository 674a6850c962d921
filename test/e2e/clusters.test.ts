/** Clusters are objects: whether each answers, what it is, and how long the hub may still enter; on real clusters. */
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseKubeconfig } from '../../lib/clusters/client/kubeconfig.ts'
import { portableKubeconfig } from '../../lib/clusters/client/portable-kubeconfig.ts'
import type { Cluster } from '../../lib/foundations/kinds/cluster.ts'
import { cluster } from '../bed/cluster.ts'
import { ending } from '../bed/command.ts'
import { eventually } from '../bed/eventually.ts'
import { appRepository, fleetRepository, fleetUnit, kubeconfigSecret, unitFor } from '../bed/fleet-objects.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { type Hub, hub } from '../bed/hub.ts'
import { program } from '../bed/keelson-program.ts'

const clusterOf = (name: string, secret = name): string => `
apiVersion: fleet.keelson.dev/v1alpha1
kind: Cluster
metadata: {name: ${name}, namespace: default}
spec: {interval: 1s, timeout: 2s, kubeConfig: {secretRef: {name: ${secret}}}}
---`

const conditionsOf = ({ status }: Cluster): Readonly<Record<string, string>> =>
  Object.fromEntries((status?.conditions ?? []).map(({ type, status, reason }) => [type, `${status} ${reason}`]))

const becomes = (on: Hub, name: string, expected: Readonly<Record<string, string>>): Promise<Cluster> =>
  eventually(async () => {
    const found = await on.get<Cluster>('cluster', name)
    assert.deepEqual(conditionsOf(found), expected)
    return found
  })

const healthy = {
  ...{ Ready: 'True ClusterReady', Reachable: 'True Responding', CredentialsValid: 'True Accepted' },
  ControlPlaneHealthy: 'True ChecksPassed',
}

const unreachable = {
  ...{ Ready: 'False ClusterUnreachable', Reachable: 'False ClusterUnreachable' },
  ...{ CredentialsValid: 'Unknown ClusterUnreachable', ControlPlaneHealthy: 'False ClusterUnreachable' },
}

test('CL-002 a Cluster says what the cluster is, whether its control plane is healthy, and until when its credential is valid', async () => {
  const [target, on] = await Promise.all([cluster(), hub()])
  const kubeconfig = target.certificateKubeconfig
  await on.apply(kubeconfigSecret('prod', { kubeconfig }) + clusterOf('prod'))
  const { status } = await becomes(on, 'prod', healthy)
  const { gitVersion } = JSON.parse(await target.kubectl('get', '--raw', '/version'))
  const { metadata } = await target.get<{ metadata: { uid: string } }>('namespace', 'kube-system')
  const { clientCertificate = '' } = parseKubeconfig(portableKubeconfig(readFileSync(kubeconfig, 'utf8'), {}).text)
  const { validToDate } = new X509Certificate(clientCertificate)
  assert.equal(status?.kubernetesVersion, gitVersion)
  assert.equal(status?.uid, metadata.uid)
  assert.equal(status?.server, target.server)
  const served = JSON.parse(await target.kubectl('get', '--raw', '/apis')) as { groups: { name: string }[] }
  assert.deepEqual(status?.apiGroups, served.groups.map(({ name }) => name).sort())
  assert.ok(status?.apiGroups?.includes('apps'))
  assert.deepEqual(status?.credential, {
    type: 'ClientCertificate',
    validUntil: validToDate.toISOString().replace('.000', ''),
  })
  const shown = await on.kubectl('get', 'clusters')
  assert.match(shown, /^NAME +AGE +READY +STATUS +VERSION\nprod +\S+ +True +Kubernetes v\S+ responds at https:\S+ +v/)
})

test('CL-009 a probe that finds nothing new writes nothing', async () => {
  const [target, on] = await Promise.all([cluster(), hub()])
  await on.apply(kubeconfigSecret('prod', target) + clusterOf('prod'))
  await becomes(on, 'prod', healthy)
  // The first probes still find out how long a request takes on connections that are open.
  const requests = (): Promise<number> =>
    target
      .kubectl('get', '--raw', '/metrics')
      .then(text =>
        Number(
          /apiserver_request_total\{.*resource="namespaces",scope="resource",.*verb="GET",.*\} (\d+)/.exec(text)?.[1] ??
            0,
        ),
      )
  await eventually(async () => {
    const [before, asked] = [await on.get<Cluster>('cluster', 'prod'), await requests()]
    await eventually(async () => assert.ok((await requests()) >= asked + 3, 'three more probes'))
    const after = await on.get<Cluster>('cluster', 'prod')
    assert.equal(after.metadata.resourceVersion, before.metadata.resourceVersion)
  })
})

test('a cluster that stops answering is reported once, and again when it is back', async () => {
  const [target, on] = await Promise.all([cluster(), hub()])
  await on.apply(kubeconfigSecret('prod', target) + clusterOf('prod'))
  await becomes(on, 'prod', healthy)
  await target.stop()
  const lost = await becomes(on, 'prod', unreachable)
  assert.match(lost.status?.conditions?.find(({ type }) => type === 'Ready')?.message ?? '', /connection refused/)
  assert.equal(lost.status?.server, target.server)
  await sleep(3_000)
  const warnings = await on.get<{ items: { count?: number }[] }>('events', '--field-selector', 'type=Warning')
  assert.deepEqual(
    warnings.items.map(({ count = 1 }) => count),
    [1],
  )
  await target.start()
  await becomes(on, 'prod', healthy)
})

test('CL-009 the breaker of a dead cluster is open, and its units go on as soon as a probe reaches it again', async () => {
  const files = { 'config.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: config, namespace: default}\n' }
  const [target, repo, on] = await Promise.all([cluster(), gitRepo(files), hub()])
  await on.apply(kubeconfigSecret('prod', target) + clusterOf('prod'))
  await becomes(on, 'prod', healthy)
  assert.equal((await on.get<Cluster>('cluster', 'prod')).status?.breaker, undefined)
  await target.stop()
  await eventually(async () => assert.equal((await on.get<Cluster>('cluster', 'prod')).status?.breaker?.state, 'Open'))
  // It would try again in an hour by itself.
  const unit = fleetUnit('prod').replace('retryInterval: 1s', 'retryInterval: 1h')
  await on.apply(fleetRepository(repo) + unit)
  const readyOf = async () =>
    (await on.get<Cluster>('kustomization', 'app')).status?.conditions?.find(({ type }) => type === 'Ready')
  await eventually(async () => {
    const ready = await readyOf()
    assert.deepEqual([ready?.status, ready?.reason], ['False', 'ClusterUnreachable'], ready?.message)
    assert.match(ready?.message ?? '', /^cluster https:\S+ is unreachable: .*connection refused/)
  })
  await target.start()
  await eventually(async () => assert.equal((await readyOf())?.status, 'True'))
  assert.equal((await on.get<Cluster>('cluster', 'prod')).status?.breaker?.state, 'Closed')
})

test('a credential that the cluster refuses is not an outage, and a new one is tried at once', async () => {
  const [target, on] = await Promise.all([cluster(), hub()])
  await on.apply(unitFor(target.server, 'prod') + clusterOf('prod').replace('1s', '1h'))
  const refused = {
    ...{ Ready: 'False Unauthorized', CredentialsValid: 'False Unauthorized' },
    ControlPlaneHealthy: 'Unknown Unauthorized',
  }
  // Without its authority in the kubeconfig the server itself is not trusted.
  await becomes(on, 'prod', unreachable)
  const kubeconfig = readFileSync(target.kubeconfig, 'utf8')
  const secret = (text: string): string =>
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'prod', namespace: 'default' },
      stringData: { value: text },
    })
  await on.apply(secret(kubeconfig.replace(/token: .*/, 'token: hunter2')))
  const { status } = await becomes(on, 'prod', { Reachable: 'True Responding', ...refused })
  assert.equal(JSON.stringify(status).includes('hunter2'), false)
  await on.apply(secret(kubeconfig))
  await becomes(on, 'prod', healthy)
})

test('an access that is missing or malformed says which object and field, and nothing of what is in it', async () => {
  const on = await hub()
  const malformed = `
apiVersion: v1
kind: Secret
metadata: {name: malformed, namespace: default}
stringData: {value: "current-context: a\\ncontexts: hunter2\\n"}
---`
  await on.apply(malformed + clusterOf('malformed') + clusterOf('missing'))
  const unknown = {
    ...{ Reachable: 'Unknown AccessFailed', CredentialsValid: 'Unknown AccessFailed' },
    ControlPlaneHealthy: 'Unknown AccessFailed',
  }
  const messages = await Promise.all(
    ['malformed', 'missing'].map(async name => {
      const { status } = await becomes(on, name, { Ready: 'False AccessFailed', ...unknown })
      return status?.conditions?.find(({ type }) => type === 'Ready')?.message
    }),
  )
  assert.deepEqual(messages, [
    'kubeconfig: contexts has no entry named "a"',
    'unable to read KubeConfig secret \'default/missing\' error: secrets "missing" not found',
  ])
})

test('CL-010 keelson clusters names the clusters, their units, and what is wrong first', async () => {
  const repo = await gitRepo({ 'a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\n' })
  const [target, on] = await Promise.all([cluster(), hub()])
  const unit = (name: string, path: string): string => `
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: ${name}, namespace: default}
spec: {interval: 1h, prune: true, path: ${path}, sourceRef: {kind: GitRepository, name: app}, kubeConfig: {secretRef: {name: prod}}}
---`
  const clusters = async (...args: readonly string[]): Promise<string> => {
    const { exitCode, stdout, stderr } = await ending(process.execPath, [
      program,
      'clusters',
      ...['--kubeconfig', on.kubeconfig, '-n', 'default', ...args],
    ])
    assert.equal(exitCode, 0, stderr)
    return stdout
  }
  assert.match(await clusters(), /^No clusters found/)
  await on.apply(
    kubeconfigSecret('prod', target) +
      clusterOf('prod') +
      appRepository(repo) +
      unit('good', './') +
      unit('bad', './missing') +
      unitFor('https://127.0.0.1:9', 'dark'),
  )
  await eventually(async () => {
    const lines = (await clusters()).trimEnd().split('\n')
    assert.equal(lines.length, 3, lines.join('\n'))
    assert.match(lines[0]!, /^NAME +READY +VERSION +UNITS +AGE +STATUS$/)
    assert.match(lines[1]!, /^<none> +Unknown +0\/1 +Kustomization\/default\/dark: .*127\.0\.0\.1:9/)
    assert.match(lines[2]!, /^prod +True +v1\.\S+ +1\/2 +\S+ +Kustomization\/default\/bad: .*path not found/)
  })
  const [dark, prod] = JSON.parse(await clusters('-o', 'json'))
  assert.equal(dark.access, 'Secret/default/dark')
  assert.deepEqual(prod.units, { total: 2, ready: 1, progressing: 0, failed: 1, stalled: 0, suspended: 0 })
  assert.equal(prod.failing[0].unit, 'Kustomization/default/bad')
  assert.match(await clusters('-o', 'wide'), /Secret\/default\/prod +https:\S+ +\d+ms +Token/)
})

test('CL-001 units of a Cluster act as its ServiceAccount unless they name one, with the rights that it has there', async () => {
  const repo = await gitRepo({ 'a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\n' })
  const [target, on] = await Promise.all([cluster(), hub()])
  const account = 'system:serviceaccount:default:deployer'
  const unit = (name: string, more = ''): string => `
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: ${name}, namespace: default}
spec: {interval: 1h, retryInterval: 1h, prune: true, path: ./, sourceRef: {kind: GitRepository, name: app}, kubeConfig: {secretRef: {name: prod}}${more}}
---`
  const messageOf = async (name: string): Promise<string> => {
    const { status } = await on.get<Cluster>('kustomization', name)
    const ready = status?.conditions?.find(({ type }) => type === 'Ready')
    return `${ready?.status} ${ready?.message}`
  }
  await on.apply(
    kubeconfigSecret('prod', target) +
      clusterOf('prod').replace('interval: 1s', 'serviceAccountName: deployer, interval: 1h') +
      appRepository(repo) +
      unit('app') +
      unit('own', ', serviceAccountName: other'),
  )
  await eventually(async () => {
    assert.match(await messageOf('app'), new RegExp(`^False .*User "${account}" cannot`))
    assert.match(await messageOf('own'), /^False .*User "system:serviceaccount:default:other" cannot/)
  })
  await target.kubectl('create', 'clusterrolebinding', 'deployer', '--clusterrole=cluster-admin', `--user=${account}`)
  await on.kubectl('annotate', 'kustomization', 'app', 'reconcile.fluxcd.io/requestedAt=now')
  await eventually(async () => assert.match(await messageOf('app'), /^True /))
  assert.equal(await target.kubectl('get', 'configmap', 'a', '-o', 'name'), 'configmap/a\n')

  // A change of the Cluster is one of its units: without the account they act as the kubeconfig.
  await target.kubectl('delete', 'clusterrolebinding', 'deployer')
  await on.kubectl('annotate', 'kustomization', 'app', 'reconcile.fluxcd.io/requestedAt=again', '--overwrite')
  await eventually(async () => assert.match(await messageOf('app'), /^False .*cannot/))
  await on.kubectl('patch', 'cluster', 'prod', '--type=merge', '-p', '{"spec":{"serviceAccountName":null}}')
  await eventually(async () => assert.match(await messageOf('app'), /^True /))
  assert.match(await messageOf('own'), /^False /)
})
