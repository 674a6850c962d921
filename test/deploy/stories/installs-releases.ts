import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { HelmRelease } from '../../../lib/foundations/kinds/helm-release.ts'
import type { KubernetesObject } from '../../../lib/foundations/kinds/object.ts'
import { command } from '../../bed/command.ts'
import { eventually } from '../../bed/eventually.ts'
import { kubeconfigSecret } from '../../bed/fleet-objects.ts'
import { helmBinary } from '../../bed/helm-binary.ts'
import { type DeployedHub, inOrder, patient } from '../deployed-hub.ts'
import { readyOf } from '../fleet.ts'

const namespace = 'releases'

const release = (name: string, values: object, more: object = {}): string =>
  JSON.stringify({
    apiVersion: 'helm.toolkit.fluxcd.io/v2',
    kind: 'HelmRelease',
    metadata: { name, namespace: 'default' },
    spec: {
      interval: '1h',
      releaseName: name,
      targetNamespace: namespace,
      storageNamespace: namespace,
      install: { createNamespace: true },
      upgrade: { remediation: { retries: 0, remediateLastFailure: true } },
      chart: {
        spec: { chart: './charts/app', sourceRef: { kind: 'GitRepository', name: 'charts' } },
      },
      kubeConfig: { secretRef: { name: 'releases' } },
      values,
      ...more,
    },
  })

const sources = (hub: DeployedHub): string => `${kubeconfigSecret('releases', hub.target)}
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: charts, namespace: default}
spec: {interval: 1h, url: '${hub.charts.url}', ref: {branch: main}}
`

/** HelmReleases, by the function `helmrelease` with the rights that the stack gives it. */
export function installsReleases(hub: DeployedHub): void {
  const { admin, emulator, target } = hub
  const helm = async (...args: string[]) =>
    command(await helmBinary(), ['--kubeconfig', target.kubeconfig, '-n', namespace, ...args], { env: {} })
  const get = (name: string) => admin.get<HelmRelease>('helmrelease', name)
  const becomes = (name: string, ready: string) =>
    eventually(async () => assert.equal(readyOf(await get(name)), ready), patient)
  const greeting = () =>
    target.kubectl('-n', namespace, 'get', 'configmap', 'app-settings', '-o', 'jsonpath={.data.greeting}')
  const history = async (): Promise<string[]> => {
    const revisions = JSON.parse(await helm('history', 'app', '-o', 'json')) as {
      status: string
      description: string
    }[]
    return revisions.map(({ status, description }) => `${status}: ${description}`)
  }

  /** Versions of a release, as Helm stores them. */
  const secrets = async (name: string) => {
    const selector = `owner=helm,name=${name}`
    const { items } = await target.get<{ items: KubernetesObject[] }>('-n', namespace, 'secrets', '-l', selector)
    return items
  }
  /** Requests of the invocations that have left a HelmRelease waiting, as far as the emulator's log reaches back. */
  const waitingPasses = (name: string): string[] =>
    emulator
      .log()
      .split('\n')
      .filter(line => line.includes('"message":"reconciled"') && line.includes(`"kind":"HelmRelease"`))
      .map(line => JSON.parse(line.slice(line.indexOf('{'))))
      .filter(pass => pass.name === name && pass.outcome === 'waiting')
      .map(pass => pass.function_request_id)

  const progressOf = ({ metadata }: KubernetesObject): string => metadata.annotations?.['keelson.dev/helm-action'] ?? ''

  /** Until the action on a release waits for its objects. */
  const waits = (name: string) =>
    eventually(async () => {
      const [stored] = await secrets(name)
      assert.match(stored ? progressOf(stored) : '', /"step":"wait"/)
    }, patient)

  /** Lets an action be older. The clocks of functions can't be moved; but they time an action by what is stored with it. */
  const age = async (name: string, minutes: number): Promise<void> => {
    const [stored] = await secrets(name)
    const { startedAt, stepStartedAt, ...progress } = JSON.parse(progressOf(stored!))
    const aged = {
      ...progress,
      startedAt: startedAt - minutes * 60_000,
      stepStartedAt: stepStartedAt - minutes * 60_000,
    }
    const annotation = `keelson.dev/helm-action=${JSON.stringify(aged)}`
    await target.kubectl('-n', namespace, 'annotate', '--overwrite', 'secret', stored!.metadata.name, annotation)
  }

  describe('installs releases', inOrder, () => {
    test('a chart in a git repository becomes a release', async () => {
      await admin.apply(sources(hub))
      await admin.apply(release('app', {}))
      await becomes('app', 'True InstallSucceeded')
      assert.equal(await greeting(), 'hello')
      assert.deepEqual(await history(), ['deployed: Install complete'])
    })

    test('new values upgrade it, hook included', async () => {
      await admin.apply(release('app', { greeting: 'good day' }))
      await becomes('app', 'True UpgradeSucceeded')
      assert.equal(await greeting(), 'good day')
      const jobs = await target.kubectl('-n', namespace, 'get', 'jobs', '-o', 'jsonpath={.items[*].metadata.name}')
      assert.equal(jobs, 'app-migrate')
    })

    test('a hook that fails rolls the upgrade back', async () => {
      await admin.apply(release('app', { greeting: 'never', failingHook: true }))
      await eventually(async () => {
        const { status } = await get('app')
        const reasons = status?.conditions?.map(({ type, status, reason }) => `${type} ${status} ${reason}`) ?? []
        assert.ok(reasons.includes('Released False UpgradeFailed'), String(reasons))
        assert.ok(reasons.includes('Remediated True RollbackSucceeded'), String(reasons))
      }, patient)
      assert.equal(await greeting(), 'good day')
      assert.deepEqual(
        (await history()).map(text => text.replace(/(?<=failed: ).*/, '...')),
        ['superseded: Install complete', 'superseded: Upgrade complete', 'failed: ...', 'deployed: Rollback to 2'],
      )
    })

    test('HR-133 HR-157 a wait of 20 minutes continues in one invocation after the other', async () => {
      await admin.apply(release('late', { hold: 'unready' }, { timeout: '25m' }))
      await waits('late')
      const invocations = new Set<string>()
      const more = (count: number) => {
        const before = invocations.size
        return eventually(() => {
          for (const id of waitingPasses('late')) invocations.add(id)
          assert.ok(invocations.size >= before + count, `${invocations.size} invocations have waited`)
        }, patient)
      }
      await more(5)
      for (const minutes of [5, 5, 10]) {
        await age('late', minutes)
        await more(2)
        assert.equal(readyOf(await get('late')), 'Unknown Progressing')
      }
      await target.kubectl('-n', namespace, 'annotate', 'pods', '-l', 'app=late', 'testcluster/hold-')
      await becomes('late', 'True InstallSucceeded')
      assert.match((await get('late')).status?.lastAttemptedReleaseActionDuration ?? '', /^2\dm/)
      const [stored, ...others] = await secrets('late')
      assert.deepEqual([stored?.metadata.labels?.status, others.length], ['deployed', 0])
      assert.match(stored?.metadata.annotations?.['keelson.dev/helm-action'] ?? '', /"hasEnded":true/)
    })

    test('a wait whose time is over fails, and leaves the release to be uninstalled', async () => {
      await admin.apply(release('never', { hold: 'unready' }, { timeout: '25m' }))
      await waits('never')
      await age('never', 26)
      await becomes('never', 'False InstallFailed')
      const { conditions } = (await get('never')).status ?? {}
      const { message } = conditions?.find(({ type }) => type === 'Ready') ?? {}
      assert.match(message ?? '', /timeout waiting for: \[Deployment\/releases\/never status: 'InProgress'\]$/)
    })

    test('what is deleted in the hub is uninstalled', async () => {
      await admin.kubectl('delete', 'helmreleases', 'app', 'late', 'never', '--timeout=2m')
      assert.deepEqual(JSON.parse(await helm('list', '-o', 'json')), [])
      assert.equal(await target.kubectl('-n', namespace, 'get', 'deployments', '-o', 'name'), '')
    })
  })
}
