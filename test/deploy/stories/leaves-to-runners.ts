import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import type { Cluster as ClusterObject } from '../../../lib/foundations/kinds/cluster.ts'
import type { GitRepository } from '../../../lib/foundations/kinds/git-repository.ts'
import type { Kustomization } from '../../../lib/foundations/kinds/kustomization.ts'
import type { Plan } from '../../../lib/foundations/kinds/plan.ts'
import type { Receiver } from '../../../lib/foundations/kinds/receiver.ts'
import type { ResourceSet } from '../../../lib/foundations/kinds/resource-set.ts'
import type { RolloutRun } from '../../../lib/foundations/kinds/rollout-run.ts'
import type { Run } from '../../../lib/foundations/kinds/run.ts'
import { followOrder } from '../../../lib/hub-client/follow-order.ts'
import { type Cluster, startCluster } from '../../bed/cluster.ts'
import { ending } from '../../bed/command.ts'
import { connecting } from '../../bed/connecting.ts'
import { eventually } from '../../bed/eventually.ts'
import { reportContainer, restarting, stuckDeployment } from '../../bed/failing-pods.ts'
import { kubeconfigSecret } from '../../bed/fleet-objects.ts'
import { type GitRepo, startGitRepo } from '../../bed/git-repo.ts'
import { program } from '../../bed/keelson-program.ts'
import { serveLogs } from '../../bed/kubelet-logs.ts'
import { type PrivateNetwork, startPrivateNetwork } from '../../bed/private-network.ts'
import { type Runner, startRunner } from '../../bed/runner.ts'
import { endWithTest } from '../../bed/teardown.ts'
import { type DeployedHub, inOrder, patient } from '../deployed-hub.ts'
import { configMap, readyOf, valueIn } from '../fleet.ts'

const [namespace, token] = ['ships', 'token-of-the-forge']

const unit = (name: string, access: string, more = ''): string => `
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: ${name}, namespace: ${namespace}${more}}
spec:
  interval: 1m
  retryInterval: 5s
  prune: true
  path: ./engine
  sourceRef: {kind: GitRepository, name: ships}
  kubeConfig: {${access}: {name: ${name}}}
---`

const objects = (git: GitRepo, ashore: Cluster): string => `
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: ships, namespace: ${namespace}}
spec: {interval: 1h, url: '${git.url}', ref: {branch: main}}
---
apiVersion: v1
kind: Secret
metadata: {name: forge, namespace: ${namespace}}
stringData: {token: ${token}}
---
apiVersion: notification.toolkit.fluxcd.io/v1
kind: Receiver
metadata: {name: forge, namespace: ${namespace}}
spec:
  type: github
  events: [push]
  secretRef: {name: forge}
  resources: [{kind: GitRepository, name: ships}]
---
${kubeconfigSecret('ashore', ashore, namespace)}${unit('ashore', 'secretRef')}${unit('aurora', 'configMapRef')}`

/** Healthy once it is bound. */
const claim = `
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: hold, namespace: default}
spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, storageClassName: none}
`

/** A unit of the cluster with a runner that follows a Rollout, and is ready once its objects are. */
const staged = `
apiVersion: fleet.keelson.dev/v1alpha1
kind: Rollout
metadata: {name: staged, namespace: ${namespace}}
spec:
  sources: [{kind: GitRepository, name: ships}]
  units: {selector: {matchLabels: {staged: 'yes'}}}
  progressDeadline: 5m
  stages: [{name: all, before: [{name: go, approval: {}}]}]
---
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: staged, namespace: ${namespace}, labels: {staged: 'yes'}}
spec:
  interval: 1m
  retryInterval: 5s
  prune: true
  suspend: true
  wait: true
  path: ./staged
  sourceRef: {kind: GitRepository, name: ships}
  kubeConfig: {configMapRef: {name: aurora}}
`

/** Another unit of the cluster with a runner, whose pod fails. */
const lookout = unit('aurora', 'configMapRef')
  .replace('name: aurora', 'name: lookout')
  .replace('./engine', './lookout\n  wait: true')

const provider = (color: string): string => `
apiVersion: fluxcd.controlplane.io/v1
kind: ResourceSetInputProvider
metadata: {name: paint, namespace: ${namespace}}
spec: {type: Static, defaultValues: {color: ${color}}}
---`

/** It copies the Secret `forge` of the hub. All intervals are hours: what changes it is enqueued. */
const set = `
apiVersion: fluxcd.controlplane.io/v1
kind: ResourceSet
metadata: {name: painted, namespace: ${namespace}, annotations: {resourceset.keelson.dev/kubeConfig: ConfigMap/aurora}}
spec:
  inputsFrom: [{name: paint}]
  resources:
    - apiVersion: v1
      kind: ConfigMap
      metadata: {name: painted, namespace: default}
      data: {value: "<< inputs.color >>"}
    - apiVersion: v1
      kind: Secret
      metadata: {name: copied, namespace: default, annotations: {fluxcd.controlplane.io/copyFrom: "<< inputs.provider.namespace >>/forge"}}
`

/** A cluster whose access the hub does not have: a runner beside it applies, and the functions leave it alone. */
export function leavesToRunners(hub: DeployedHub): void {
  const { account, admin, edge, target: ashore } = hub
  const inShips = ['-n', namespace] as const
  const keelson = (...args: string[]) => admin.keelson(...args, ...inShips, '--kubeconfig', admin.kubeconfig)
  /** The same, also when it fails. */
  const ended = (...args: string[]) =>
    ending(process.execPath, [program, ...args, ...inShips, '--kubeconfig', admin.kubeconfig], { env: admin.env })
  /** The only addresses outside that a runner needs: of the hub, and of its queues. */
  const ports = [hub.url, hub.emulator.endpoint].map(url => Number(new URL(url).port))
  let network: PrivateNetwork | undefined
  let onLoopback = ''
  let atSea: Cluster
  let git: GitRepo
  let it: Runner

  const pushed = async (files: Readonly<Record<string, string | null>>): Promise<void> => {
    const commit = await git.push(files)
    const { status } = await admin.get<Receiver>('receiver', 'forge', ...inShips)
    const body = JSON.stringify({ ref: 'refs/heads/main', after: commit })
    const signature = createHmac('sha256', token).update(body).digest('hex')
    const headers = { 'X-GitHub-Event': 'push', 'X-Hub-Signature-256': `sha256=${signature}` }
    assert.equal((await fetch(`${edge}${status?.webhookPath}`, { method: 'POST', body, headers })).status, 200)
  }
  const holds = (cluster: Cluster, name: string, value: string) =>
    eventually(async () => assert.equal(await valueIn(cluster, name), value, it.said().slice(-3000)), patient)

  describe('leaves units to runners', inOrder, () => {
    before(async () => {
      network = await startPrivateNetwork(why => (onLoopback = why))
      // Not by the proxy: the emulator's queues are on loopback, and a runner waits at no other hosts than those of SQS and that of its hub.
      await network?.forward(...ports)
      ;[atSea, git] = await Promise.all([
        startCluster({ network }),
        startGitRepo({
          'engine/speed.yaml': configMap('speed', 'slow'),
          'engine/light.yaml': configMap('light', 'on'),
          'staged/all.yaml': `${configMap('staged', 'yes')}---${claim}`,
          'lookout/web.yaml': stuckDeployment('lookout'),
        }),
      ])
      await admin.apply(`{apiVersion: v1, kind: Namespace, metadata: {name: ${namespace}}}`)
      const joinToken = (await keelson('join', 'aurora')).trim()
      await admin.apply(objects(git, ashore))
      const { certificateFile: NODE_EXTRA_CA_CERTS = '' } = hub.emulator
      it = startRunner({ server: hub.url, certificateAuthority: hub.ca }, atSea, {
        ...{ cluster: `${namespace}/aurora`, joinToken, poll: '2s', flags: ['--live', '--log-level', 'info'], network },
        env: { ...process.env, NODE_EXTRA_CA_CERTS },
      })
    })
    after(() => Promise.all([it, atSea, git, network].map(each => each?.[Symbol.asyncDispose]())))

    test('a runner joins, and applies what the functions apply to another cluster', async t => {
      if (onLoopback) t.diagnostic(onLoopback)
      await Promise.all([holds(atSea, 'speed', 'slow'), holds(ashore, 'speed', 'slow')])
      await eventually(async () => {
        const units = ['aurora', 'ashore'].map(name => admin.get<Kustomization>('kustomization', name, ...inShips))
        const states = [...(await Promise.all(units)), await admin.get<ClusterObject>('cluster', 'aurora', ...inShips)]
        assert.deepEqual(states.map(readyOf), [...Array(2).fill('True ReconciliationSucceeded'), 'True ClusterReady'])
      }, patient)
      if (!network) return
      const [address, others] = [new URL(atSea.server).host, ['192.0.2.1:443', new URL(git.url).host]]
      assert.equal(await connecting(address), 'ECONNREFUSED', 'nobody reaches the cluster from outside')
      const found = await network.connecting(address, ...others)
      assert.deepEqual(found, ['connected', 'ENETUNREACH', 'ECONNREFUSED'])
    })

    test('a push reaches both', async t => {
      const began = Date.now()
      await pushed({ 'engine/speed.yaml': configMap('speed', 'fast'), 'engine/light.yaml': null })
      await holds(atSea, 'speed', 'fast')
      const tookMs = Date.now() - began
      assert.doesNotMatch(it.said(), /nothing can wake/)
      const { status } = await admin.get<GitRepository>('gitrepository', 'ships', ...inShips)
      const { lastUpdateTime = '', revision } = status?.artifact ?? {}
      const { startedAt } = await eventually(async () => {
        const { items } = await admin.get<{ readonly items: readonly Run[] }>('runs', ...inShips)
        return items.find(run => run.unit.name === 'aurora' && run.revision === revision) ?? null
      }, patient)
      const [stored, started] = [lastUpdateTime, startedAt].map(time => Date.parse(time) - began)
      t.diagnostic(`the artifact was stored after ${stored} ms (cut to seconds), the runner began after ${started} ms`)
      t.diagnostic(`from push to change through a runner: ${tookMs} ms`)
      await Promise.all([holds(ashore, 'speed', 'fast'), holds(atSea, 'light', ''), holds(ashore, 'light', '')])
    })

    test('a runner whose queue is deleted has another made, and is woken again', async () => {
      const queues = async () => {
        const QueueNamePrefix = `${hub.hubName}-runner-`
        const listed = await account.json<{ QueueUrls?: readonly string[] }>('sqs', 'AmazonSQS.ListQueues', {
          QueueNamePrefix,
        })
        return listed.QueueUrls ?? []
      }
      const [QueueUrl, ...others] = await queues()
      assert.deepEqual(others, [])
      await account.json('sqs', 'AmazonSQS.DeleteQueue', { QueueUrl })
      await eventually(async () => {
        assert.match(it.said(), /nothing can wake/)
        assert.deepEqual(await queues(), [QueueUrl])
      }, patient)
      await pushed({ 'engine/light.yaml': configMap('light', 'green') })
      await holds(atSea, 'light', 'green')
    })

    describe('at the same time', { concurrency: 2 }, () => {
      test('drift is corrected by the runner there, and by the functions elsewhere', async () => {
        for (const cluster of [atSea, ashore]) await cluster.kubectl('delete', 'configmap', 'speed')
        await Promise.all([holds(atSea, 'speed', 'fast'), holds(ashore, 'speed', 'fast')])
      })

      test('a stage of a Rollout waits for its gate, and then for the health of what the runner applied', async () => {
        const phaseOf = async () => (await admin.get<RolloutRun>('rolloutrun', 'staged-1', ...inShips)).status
        const why = async () => (await ended('why', 'kustomization/staged')).stdout
        await admin.apply(staged)
        await eventually(async () => {
          const status = await phaseOf()
          assert.deepEqual(status?.waitsFor, ['gate go: waits for an approval'], JSON.stringify(status))
        }, patient)
        // Before the Rollout is known, a unit takes what its source has.
        await admin.kubectl(
          'patch',
          'kustomization',
          'staged',
          '--type=merge',
          '-p',
          '{"spec":{"suspend":false}}',
          ...inShips,
        )
        await eventually(async () => assert.match(await why(), /its first revision waits/), patient)
        assert.equal(await valueIn(atSea, 'staged'), '')
        await keelson('rollout', 'approve', 'staged')
        await holds(atSea, 'staged', 'yes')
        await eventually(async () => assert.match(await why(), /PersistentVolumeClaim\/default\/hold/), patient)
        assert.notEqual((await phaseOf())?.phase, 'Succeeded')
        const bound = '{"status":{"phase":"Bound"}}'
        await atSea.kubectl('patch', 'pvc', 'hold', '--subresource=status', '--type=merge', '-p', bound)
        await eventually(async () => assert.equal((await phaseOf())?.phase, 'Succeeded', await why()), patient)
      })
    })

    test('a ResourceSet goes through the runner, with its inputs and what it copies of the hub, and other inputs wake that', async t => {
      await admin.apply(provider('blue') + set)
      await holds(atSea, 'painted', 'blue')
      const copied = await atSea.kubectl('get', 'secret', 'copied', '-o', 'jsonpath={.data.token}')
      assert.equal(Buffer.from(copied, 'base64').toString(), token)
      await eventually(async () => {
        const found = await admin.get<ResourceSet>('resourceset', 'painted', ...inShips)
        assert.equal(readyOf(found), 'True ReconciliationSucceeded')
        assert.deepEqual(found.status?.dataSources, [`Secret/${namespace}/forge`])
      }, patient)
      const began = Date.now()
      await admin.apply(provider('green'))
      await holds(atSea, 'painted', 'green')
      t.diagnostic(`from other inputs to the change through a runner: ${Date.now() - began} ms`)
      await admin.kubectl('delete', 'resourceset', 'painted', ...inShips, '--timeout', '120s')
      assert.equal(await valueIn(atSea, 'painted'), '')
    })

    test('a change that needs an approval waits for it', async () => {
      await admin.kubectl('annotate', 'kustomization', 'aurora', 'fleet.keelson.dev/approval=Required', ...inShips)
      await pushed({ 'engine/speed.yaml': configMap('speed', 'approved') })
      await holds(ashore, 'speed', 'approved')
      const plan = await eventually(async () => {
        const { items } = await admin.get<{ readonly items: readonly Plan[] }>('plans', ...inShips)
        const waiting = items.find(({ status }) => status?.phase === 'Waiting')
        assert.ok(waiting, it.said().slice(-3000))
        return waiting
      }, patient)
      assert.equal(await valueIn(atSea, 'speed'), 'fast')
      const { exitCode, stdout, stderr } = await ended('plan', 'kustomization/aurora')
      assert.equal(exitCode, 1, stderr)
      assert.ok(stdout.includes(`\nDigest:   ${plan.spec.digest}\n`), stdout)
      await keelson('approve', plan.metadata.name)
      await holds(atSea, 'speed', 'approved')
    })

    test('the runner compares its cluster with what was applied last, when a user wants to know', async () => {
      const drift = () => ended('drift', 'kustomization/aurora')
      await eventually(async () => {
        const { exitCode, stdout, stderr } = await drift()
        assert.equal(exitCode, 0, stdout + stderr)
      }, patient)
      await atSea.kubectl('delete', 'configmap', 'speed')
      const { stdout } = await drift()
      assert.match(stdout, /^Kustomization\/ships\/aurora differs from .*\n.*1 created, 1 unchanged\n/)
      await holds(atSea, 'speed', 'approved')
    })

    test('what is on the cluster is read there as the user of the hub', async () => {
      const object = 'unit=Kustomization/ships/aurora&object=default_light__ConfigMap'
      const live = () =>
        followOrder<{ readonly data?: { readonly value: string } }>(async more => {
          const path = `/fleet/live/object?${object}&${new URLSearchParams(more)}`
          const { exitCode, stdout, stderr } = await admin.ending('get', '--raw', path)
          assert.equal(exitCode, 0, stderr)
          return JSON.parse(stdout) as object
        }, AbortSignal.timeout(60_000))
      const refusal = await live().catch((error: Error) => error.message)
      const [, user = ''] =
        /on the cluster: configmaps "light" is forbidden: User "([^"]+)"/.exec(String(refusal)) ?? []
      await atSea.kubectl('create', 'rolebinding', 'visitor', '-n', 'default', '--clusterrole=view', `--user=${user}`)
      await eventually(async () => assert.equal((await live()).data?.value, 'green', String(refusal)), patient)
    })

    test('keelson why shows what a failing pod has written there', async () => {
      const logs = endWithTest(await serveLogs(atSea, ({ isPrevious }) => (isPrevious ? 'it begins\nno light\n' : '')))
      await network?.forward(logs.port)
      await admin.apply(lookout)
      const pod = await reportContainer(atSea, 'lookout', restarting)
      await eventually(
        async () => assert.match((await ended('why', 'ks/lookout')).stdout, /\nAdd --logs to see/),
        patient,
      )
      const { exitCode, stdout, stderr } = await ended('why', 'kustomization/lookout', '--logs', '--tail', '1')
      assert.equal(exitCode, 1, stderr)
      const [, found] = stdout.split(/ pods not ready, as \S+ sees its cluster:\n\n/)
      assert.equal(
        found,
        `Pod/default/${pod} of Deployment/default/lookout, 3 restarts
  container web exited with 1 (Error), and waits: CrashLoopBackOff: back-off 5m0s restarting failed container
    | no light
`,
        stdout,
      )
    })

    test('a runner that is stopped is missed, and is there again once it is started', async () => {
      const reasonOf = async (type: string) => {
        const { status } = await admin.get<ClusterObject>('cluster', 'aurora', ...inShips)
        return status?.conditions?.find(condition => condition.type === type)?.reason
      }
      await it.stop()
      const requested = `reconcile.fluxcd.io/requestedAt=${Date.now()}`
      await admin.kubectl('annotate', 'cluster', 'aurora', requested, '--overwrite', ...inShips)
      await eventually(async () => assert.match((await reasonOf('Reachable')) ?? '', /^Runner(Silent|Away)$/), patient)
      it.start()
      await eventually(async () => {
        assert.doesNotMatch((await reasonOf('Reachable')) ?? '', /^Runner/)
        assert.equal(await reasonOf('Ready'), 'ClusterReady')
      }, patient)
    })

    test('a deleted unit takes its objects with it', async () => {
      await admin.kubectl('delete', 'kustomization', 'aurora', 'staged', 'lookout', ...inShips, '--timeout', '120s')
      assert.equal(await valueIn(atSea, 'speed'), '')
      assert.equal(await valueIn(ashore, 'speed'), 'approved')
    })
  })
}
