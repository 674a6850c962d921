/**
 * Records what the real helm-controller leaves of a release, for test/docs/from-flux.test.ts: the suspended HelmRelease with its status, Helm's
 * Secret, and the ConfigMap. `KEELSON_CONTROLLERS=DIR node test/recorders/helm-controller-release.ts`.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fluxControllers, needsControllers, startFluxCluster } from '../bed/flux-controllers.ts'
import { startGitRepo } from '../bed/git-repo.ts'
import { chartFiles, redis } from '../docs/from-flux/redis.ts'

if (!fluxControllers) throw new Error(needsControllers.skip)
await using repo = await startGitRepo(chartFiles)
await using flux = await startFluxCluster({ directory: fluxControllers })
const { cluster } = flux
await cluster.apply(`${redis}---
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: flux-system, namespace: flux-system}
spec: {interval: 1m, url: '${repo.url}', ref: {branch: main}}
`)
await cluster.kubectl('wait', 'hr/redis', '-n', 'flux-system', '--for=condition=Ready', '--timeout=2m')
await cluster.kubectl('patch', 'hr/redis', '-n', 'flux-system', '--type=merge', '-p', '{"spec":{"suspend":true}}')

interface Left {
  readonly metadata: {
    readonly name: string
    readonly namespace: string
    readonly labels?: object
    readonly annotations?: object
  }
}
const left = async (kind: string, name: string): Promise<object> => {
  const { metadata, ...rest } = await cluster.get<Left>(kind, name, '-n', 'flux-system')
  const { namespace, labels, annotations } = metadata
  return { ...rest, metadata: { name, namespace, ...(labels && { labels }), ...(annotations && { annotations }) } }
}
const objects = [
  await left('helmrelease', 'redis'),
  await left('secret', 'sh.helm.release.v1.redis.v1'),
  await left('configmap', 'redis'),
]
const file = join(import.meta.dirname, '../docs/from-flux/helm-controller.recorded.json')
writeFileSync(file, `${JSON.stringify(objects, null, 2)}\n`)
