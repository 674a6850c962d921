import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { ClusterClient } from '../../../lib/clusters/client/client.ts'
import { ClusterError } from '../../../lib/clusters/client/client.ts'
import type { KubernetesObject, ObjectRef } from '../../../lib/foundations/kinds/object.ts'
import { ApiError, type HubEvent } from '../../../lib/hub/store/hub.ts'
import type { Cluster } from '../../bed/cluster.ts'
import { kubectlEnv } from '../../bed/kubectl.ts'
import { kubectlProgram } from '../../bed/testcluster.ts'
import { isOfHub } from '../../conformance/flux/routed-cluster.ts'
import type { ScenarioHub } from '../../conformance/flux/world.ts'

/** What a replay asks of the hub, answered by a whole cluster in which Flux's controllers run: of some namespaces alone. */
export const clusterHub = (cluster: Cluster, client: ClusterClient, namespaces: readonly string[]): ScenarioHub => {
  const isOurs = (object: KubernetesObject) => namespaces.includes(object.metadata.namespace ?? '')
  const hub = {
    get: (ref: ObjectRef) => client.get(apiVersionOf(ref), ref).catch(refused),
    async list({ group, kind }: ObjectRef) {
      if (group && !served.test(group)) return { items: [], resourceVersion: '' }
      const listed = await client.list({ apiVersion: apiVersionOf({ group }), kind }).catch(refused)
      return { items: listed.items.filter(isOurs), resourceVersion: listed.resourceVersion }
    },
    async *watch(query: ObjectRef & { after: string; signal: AbortSignal }) {
      if (query.group && !served.test(query.group)) return
      const apiVersion = apiVersionOf(query)
      const { plural } = await client.resourceFor(apiVersion, query.kind)
      const base = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`
      for (let { after } = query; !query.signal.aborted; ) {
        const path = `${base}/${plural}?watch=true&resourceVersion=${after}`
        const child = spawn(await kubectlProgram(), ['get', '--raw', path], {
          env: kubectlEnv(cluster.kubeconfig),
          stdio: ['ignore', 'pipe', 'ignore'],
        })
        query.signal.addEventListener('abort', () => child.kill())
        for await (const line of createInterface(child.stdout)) {
          const event = JSON.parse(line) as HubEvent
          if (event.type === ('ERROR' as string)) {
            if (!line.includes('"Expired"')) throw new Error(line)
            break // the server's cache of a new kind has begun after the list was made
          }
          if (isOurs(event.object as KubernetesObject)) yield event
        }
        if (query.signal.aborted) return
        child.kill()
        ;({ resourceVersion: after } = await client.list({ apiVersion, kind: query.kind }))
      }
    },
    async patch(
      ref: ObjectRef,
      patch: { type: 'apply'; object: KubernetesObject } | { type: 'merge'; patch: unknown },
      options: { fieldManager: string; subresource?: 'status' },
    ) {
      if (!isOfHub(ref.group)) return undefined // it was written to the cluster already
      if (patch.type === 'apply') return client.apply(patch.object, { ...options, force: true }).catch(refused)
      if (options.subresource) {
        const args = [
          '-n',
          ref.namespace,
          '--type=merge',
          '--subresource',
          options.subresource,
          '-p',
          JSON.stringify(patch.patch),
        ]
        await cluster.kubectl('patch', `${ref.kind}.${apiVersionOf(ref).split('/')[1]}.${ref.group}`, ref.name, ...args)
        return undefined
      }
      return client.patch(apiVersionOf(ref), ref, patch, options).catch(refused)
    },
    async delete(ref: ObjectRef) {
      if (isOfHub(ref.group)) await client.delete(apiVersionOf(ref), ref, { propagation: 'Background' })
    },
    settled: async () => {},
  }
  return hub as unknown as ScenarioHub
}

const served = /^(source|kustomize|helm)\.toolkit\.fluxcd\.io$/

const apiVersionOf = ({ group }: Pick<ObjectRef, 'group'>): string => {
  if (group === '') return 'v1'
  return `${group}/${group === 'helm.toolkit.fluxcd.io' ? 'v2' : 'v1'}`
}

const refused = (error: ClusterError): never => {
  if (!(error instanceof ClusterError) || error.status === undefined) throw error
  throw new ApiError(error.status, (error.reason ?? '') as ApiError['reason'], error.message)
}
