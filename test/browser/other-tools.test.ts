/**
 * Other people's tools before a hub with a real cluster, where they can be had. What they request is replayed everywhere
 * (test/cluster/flux-requests.test.ts).
 */
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { startBrowser } from '../bed/browser.ts'
import { needsCapacitor } from '../bed/capacitor.ts'
import { type Cluster, startCluster } from '../bed/cluster.ts'
import { eventually } from '../bed/eventually.ts'
import { kubeconfigSecret } from '../bed/fleet-objects.ts'
import { needsK9s } from '../bed/k9s.ts'
import { startFluxReleaseWorld } from '../cluster/flux-release-world.ts'
import type { FluxWorld } from '../cluster/flux-world.ts'
import { walkThroughCapacitor } from './other-tools/capacitor.ts'
import { walkThroughK9s } from './other-tools/k9s.ts'
import { prepareWalk } from './other-tools/scene.ts'

const settings = (version: string): string =>
  `{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: default}, data: {version: ${version}}}\n`

/** The Kustomization of a real cluster. */
const prod = `
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: { name: prod, namespace: flux-system }
spec:
  sourceRef: { kind: GitRepository, name: site }
  path: ./prod
  prune: true
  interval: 1h
  retryInterval: 2s
  kubeConfig: { secretRef: { name: prod } }
`

const needsOne = needsK9s.skip && needsCapacitor.skip ? { skip: `${needsK9s.skip}, and ${needsCapacitor.skip}` } : {}

suite("other people's tools", needsOne, () => {
  let world: FluxWorld
  let target: Cluster
  before(async () => {
    ;[world, target] = await Promise.all([startFluxReleaseWorld(), startCluster()])
    await push('one')
    await world.hub.apply(kubeconfigSecret('prod', target, 'flux-system') + prod)
    await world.hub.kubectl('wait', 'ks/prod', '-n', 'flux-system', '--for=condition=Ready', '--timeout=5m')
    await prepareWalk(world.hub)
  })
  after(async () => {
    await world[Symbol.asyncDispose]()
    await target[Symbol.asyncDispose]()
  })

  /** Resolves when the hub has fetched and applied it. */
  const push = async (version: string): Promise<void> => {
    const { hub, repo } = world
    const revision = `main@sha1:${await repo.push({ 'prod/settings.yaml': settings(version) })}`
    const site = ['-n', 'flux-system', '--timeout=5m']
    await hub.kubectl(
      'annotate',
      '--overwrite',
      'gitrepo/site',
      '-n',
      'flux-system',
      `reconcile.fluxcd.io/requestedAt=${version}`,
    )
    await hub.kubectl('wait', 'gitrepo/site', ...site, `--for=jsonpath={.status.artifact.revision}=${revision}`)
    await hub.kubectl('wait', 'ks/site', ...site, `--for=jsonpath={.status.lastAppliedRevision}=${revision}`)
  }
  const requireDeployed = async (version: string): Promise<void> => {
    const { data } = await target.get<{ data: { version: string } }>('configmap', 'settings', '-n', 'default')
    assert.equal(data.version, version)
  }

  test(
    'UI-12 k9s lists units with their clusters, describes one, shows its YAML and Events, and deletes',
    needsK9s,
    () => {
      const { hub } = world
      const row = /prod +True +Applied revision: main@sha1:\w+ +Secret\/prod +\d/
      return walkThroughK9s({ hub, kubeconfig: hub.kubeconfig, unit: 'prod' }, row)
    },
  )

  test(
    'UI-12 Capacitor shows what differs from git, and reconciles, suspends and resumes a unit of a real cluster',
    needsCapacitor,
    async () => {
      await using chromium = await startBrowser()
      const { hub } = world
      await walkThroughCapacitor(chromium.browser, {
        ...{ hub, kubeconfig: hub.kubeconfig, unit: 'prod' },
        whileSuspended: async () => {
          await push('two')
          await requireDeployed('one')
        },
        whenResumed: () => eventually(() => requireDeployed('two')),
      })
    },
  )
})
